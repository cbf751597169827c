#!/bin/sh
# The Haskell library for Debian's GHC: built by Cabal's own Setup, without the launcher and the tests, laid out as
# Debian's libraries are, and split into packages for development, profiling and documentation. Called by debian/rules.
#
#   haskell.sh build      compiles it, static, shared and with profiling, and its documentation
#   haskell.sh install    into debian/PACKAGE of those that are built, and what they depend on into PACKAGE.substvars
set -eu
name=ghc-openmp
version=$(sed -n 's/^version: *//p' $name.cabal)
dist=debian/dist
dev=debian/libghc-$name-dev prof=debian/libghc-$name-prof doc=debian/libghc-$name-doc
database=var/lib/ghc/package.conf.d
haddock=usr/lib/ghc-doc/haddock/$name-$version
setup() { command=$1; shift; $dist/Setup "$command" --builddir=$dist "$@"; }

build() {
    mkdir -p $dist
    printf 'import Distribution.Simple\nmain :: IO ()\nmain = defaultMain\n' >$dist/Setup.hs
    ghc -v0 -outputdir $dist $dist/Setup.hs -o $dist/Setup
    # shellcheck disable=SC2016  # Cabal's own variable
    setup configure --ghc --prefix=/usr --libdir=/usr/lib/haskell-packages/ghc/lib \
        --dynlibdir='/usr/lib/haskell-packages/ghc/lib/$abi' --docdir=/usr/share/doc/libghc-$name-doc \
        --htmldir=/usr/share/doc/libghc-$name-doc/html --haddockdir=/$haddock \
        --enable-shared --enable-library-profiling --disable-library-stripping "lib:$name"
    setup build
    ! dh_listpackages | grep -qx "libghc-$name-doc" || setup haddock --html --hyperlink-source \
        --haddock-options=--mathjax=file:///usr/share/javascript/mathjax/MathJax.js
}

# field PACKAGE FIELD, of GHC's database; ours FIELD, of the registration.
field() { ghc-pkg --global --simple-output --unit-id field "$1" "$2"; }
ours() { sed -n "s/^$1: *//p" "$registration"; }
# virtual NAME KIND VERSION ABI: a library's name for those that were compiled against it.
virtual() { printf 'libghc-%s-%s-%s-%.5s' "$1" "$2" "$3" "$4" | tr '[:upper:]' '[:lower:]'; }

# related KIND PACKAGE: what it depends on and provides.
related() {
    depends=
    # The words after `depends:` up to the next field.
    for id in $(sed -n '/^depends:/,/^[a-z-]*:/{s/^depends://;/^[a-z-]*:/d;p}' "$registration"); do
        one=$(virtual "$(field "$id" name)" "$1" "$(field "$id" version)" "$(field "$id" abi)")
        depends="$depends${depends:+, }$one"
    done
    echo "haskell:Depends=$depends" >>"debian/$2.substvars"
    echo "haskell:Provides=$(virtual $name "$1" "$version" "$(ours abi)")" >>"debian/$2.substvars"
}

install_all() {
    # The arch-independent build has the documentation alone.
    if dh_listpackages | grep -qx "libghc-$name-dev"; then
        setup copy --destdir=$dev
        registration=$dist/$name.conf
        setup register --gen-pkg-config=$registration
        install -D -m 644 $registration "$dev/$database/$name-$version.conf"
        (cd $dev && find usr -name '*.p_hi' -o -name '*_p.a') | while read -r file; do
            mkdir -p "$prof/${file%/*}"
            mv "$dev/$file" "$prof/$file"
        done
        rm -rf $dev/usr/share $dev/usr/lib/ghc-doc
        related dev "libghc-$name-dev"
        related prof "libghc-$name-prof"
    fi
    if dh_listpackages | grep -qx "libghc-$name-doc"; then
        mkdir -p "$doc/$haddock" $doc/usr/share/doc/libghc-$name-doc
        cp -r $dist/doc/html/$name $doc/usr/share/doc/libghc-$name-doc/html
        mv $doc/usr/share/doc/libghc-$name-doc/html/$name.haddock "$doc/$haddock/"
    fi
}

case ${1:-} in
build) build ;;
install) install_all ;;
*) echo 'haskell.sh: build or install' >&2; exit 1 ;;
esac
