ghc -v0 -O1 -threaded Calls.hs calls.c -o calls
./calls
ghc -v0 -O1 -c Embedded.hs
ghc -v0 -O1 -threaded -no-hs-main embed.c Embedded.o -o embed
./embed
ghc -v0 -threaded -outputdir layout.o Layout.hs layout.c -o layout
./layout
