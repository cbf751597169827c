# For nix: `nix build` makes the library and the launcher, `nix develop` has what `make` needs.
{
  description = "An OpenMP runtime that lives in GHC's runtime system";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-24.11";

  outputs = { self, nixpkgs }:
    let
      pkgs = nixpkgs.legacyPackages.x86_64-linux;
      haskell = pkgs.haskell.packages.ghc966;
      package = pkgs.haskell.lib.dontCheck (haskell.callCabal2nix "ghc-openmp" self { });
    in {
      packages.x86_64-linux.default = package;
      devShells.x86_64-linux.default = haskell.shellFor {
        packages = _: [ package ];
        nativeBuildInputs = [ pkgs.cabal-install pkgs.gfortran pkgs.gnumake pkgs.python3 ];
      };
    };
}
