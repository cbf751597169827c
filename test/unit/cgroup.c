/* The CPU quota of control groups, from folders that look like /sys/fs/cgroup. */
#include "host/cgroup.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/os.h"
#include "unit.h"

static char root[256], membership[300];

/* Writes root/name, making the folders on the way. */
static void put(const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

static void start(void)
{
    strcpy(root, "/tmp/ghcomp-cgroup-XXXXXX");
    CHECK(mkdtemp(root) != NULL);
    snprintf(membership, sizeof membership, "%s/membership", root);
}

static void end(void)
{
    char command[512];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    CHECK_EQUAL(0, system(command));
}

static uint32_t quota(const char *groups)
{
    put("membership", groups);
    return ghcomp_cgroup_quota(membership, root);
}

static void version_2(void)
{
    start();
    put("cpu.max", "max 100000\n");
    put("a/cpu.max", "400000 100000\n");
    put("a/b/cpu.max", "max 100000\n");
    put("a/b/c/cpu.max", "250000 100000\n");
    put("a/b/c/d/cpu.max", "800000 100000\n");
    CHECK_EQUAL(0, quota("0::/\n"));
    CHECK_EQUAL(4, quota("0::/a\n"));
    CHECK_EQUAL(4, quota("0::/a/b\n"));
    CHECK_EQUAL(3, quota("0::/a/b/c\n"));       /* 2.5 CPUs need 3 threads */
    CHECK_EQUAL(3, quota("0::/a/b/c/d\n"));     /* the tightest ancestor, not the nearest */
    CHECK_EQUAL(4, quota("0::/a/gone/d\n"));    /* folders that are not there are passed over */
    CHECK_EQUAL(0, quota("0::/../outside\n"));
    CHECK_EQUAL(0, quota(""));
    CHECK_EQUAL(0, quota("nonsense\n0:\n::\n0::relative\n"));
    /* In a container: the path is told from outside, the mount's root is the container's group. */
    put("cpu.max", "50000 100000\n");
    CHECK_EQUAL(1, quota("0::/docker/0123\n"));
    CHECK_EQUAL(1, quota("0::/../outside\n"));
    put("cpu.max", "150000\n");
    CHECK_EQUAL(0, quota("0::/\n"));
    put("cpu.max", "100 0\n");
    CHECK_EQUAL(0, quota("0::/\n"));
    end();
}

static void version_1(void)
{
    start();
    put("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    put("cpu,cpuacct/x/cpu.cfs_quota_us", "150000\n");
    put("cpu,cpuacct/x/cpu.cfs_period_us", "50000\n");
    put("cpu,cpuacct/x/y/cpu.cfs_quota_us", "-1\n");
    put("cpu,cpuacct/x/y/cpu.cfs_period_us", "100000\n");
    put("cpuset/x/cpu.cfs_quota_us", "1\n");
    put("cpuset/x/cpu.cfs_period_us", "1\n");
    CHECK_EQUAL(0, quota("4:cpu,cpuacct:/\n"));
    CHECK_EQUAL(3, quota("4:cpu,cpuacct:/x\n"));
    CHECK_EQUAL(3, quota("12:cpuset:/x\n4:cpu,cpuacct:/x/y\n1:name=systemd:/x\n"));
    CHECK_EQUAL(3, quota("4:cpuacct,cpu:/x/y\n")); /* the folder's name has the other order */
    CHECK_EQUAL(0, quota("4:cpuset:/x\n"));        /* another controller whose name starts with cpu */
    /* Both versions at once: version 2 is mounted beside version 1, and the tighter one counts. */
    put("unified/x/cpu.max", "200000 100000\n");
    CHECK_EQUAL(2, quota("4:cpu,cpuacct:/x\n0::/x\n"));
    put("unified/x/cpu.max", "900000 100000\n");
    CHECK_EQUAL(3, quota("4:cpu,cpuacct:/x\n0::/x\n"));
    end();
}

int main(void)
{
    version_2();
    version_1();
    CHECK_EQUAL(0, ghcomp_cgroup_quota("/nonexistent/cgroup", "/nonexistent"));
    uint32_t cpus = ghcomp_cgroup_cpus(false);
    CHECK(cpus >= 1 && cpus <= ghcomp_os_cpus());
    CHECK_EQUAL(ghcomp_os_cpus(), ghcomp_cgroup_cpus(true));
    return 0;
}
