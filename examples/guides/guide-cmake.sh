cmake -S . -B made >cmake.log
cmake --build made >>cmake.log
GHCOMP_HOST=posix made/ask
