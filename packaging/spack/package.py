"""A package for Spack: the runtime's drop-in on POSIX threads. Copy it into a repository as packages/ghc_openmp/
package.py (of an older Spack: packages/ghc-openmp/package.py), and name the source tree:

    spack dev-build --source-path TREE ghc-openmp@0.1.0.0
    spack load ghc-openmp         # programs by gcc and clang run on it then
"""

from spack.package import *


class GhcOpenmp(MakefilePackage):
    """An OpenMP runtime in place of libgomp and libomp: forks after a region, CPU quotas, one pool of threads."""

    license("BSD-3-Clause")
    version("0.1.0.0")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    conflicts("platform=darwin", msg="ghc-openmp is for Linux")
    conflicts("platform=windows", msg="ghc-openmp is for Linux")

    def build(self, spec, prefix):
        make("dropin")

    def install(self, spec, prefix):
        make("install-dropin", "PREFIX=" + prefix)

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib.join("ghc-openmp"))
