# A package for nixpkgs: the runtime's drop-in on POSIX threads. In a Nix with channels:
#
#     nix-build -E '(import <nixpkgs> { }).callPackage packaging/nix/package.nix { }'
#     LD_LIBRARY_PATH=$PWD/result/lib/ghc-openmp ./program
{ lib, stdenv }:

stdenv.mkDerivation {
  pname = "ghc-openmp";
  version = "0.1.0.0";

  src = lib.cleanSource ../..;

  enableParallelBuilding = true;
  buildFlags = [ "dropin" ];
  installTargets = [ "install-dropin" ];
  installFlags = [ "PREFIX=$(out)" ];

  meta = {
    description = "An OpenMP runtime in place of libgomp and libomp";
    license = lib.licenses.bsd3;
    platforms = [ "x86_64-linux" ];
  };
}
