/* The CPU quota and the limit of threads of control groups, from folders that hold what /proc and /sys hold in
   containers. */
#include "host/cgroup.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/state/icv.h"
#include "host/os.h"
#include "unit.h"

static char root[256];

/* Writes root/name, and makes the folders on the way. */
static void put(const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", root, name);
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

static void put_v1(const char *folder, const char *quota, const char *period)
{
    char name[512];
    snprintf(name, sizeof name, "%s/cpu.cfs_quota_us", folder);
    put(name, quota);
    snprintf(name, sizeof name, "%s/cpu.cfs_period_us", folder);
    put(name, period);
}

static void start(const char *mounts)
{
    strcpy(root, "/tmp/ghcomp-cgroup-XXXXXX");
    CHECK(mkdtemp(root) != NULL);
    put("/proc/self/mountinfo", mounts);
}

static void end(void)
{
    char command[512];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    CHECK_EQUAL(0, system(command));
}

static uint32_t quota(const char *groups)
{
    put("/proc/self/cgroup", groups);
    return ghcomp_cgroup_quota(root);
}

#define ROOT_DISK "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
#define V2(group, point) "29 23 0:25 " group " " point " rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1(group, point, options) "31 23 0:29 " group " " point " ro,nosuid - cgroup cgroup rw," options "\n"

/* A machine with systemd: slices and services below the root, which has no cpu.max. */
static void version_2(void)
{
    start(ROOT_DISK V2("/", "/sys/fs/cgroup"));
    put("/sys/fs/cgroup/a/cpu.max", "400000 100000\n");
    put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/a/b/c/cpu.max", "250000 100000\n");
    put("/sys/fs/cgroup/a/b/c/d/cpu.max", "800000 100000\n");
    put("/sys/fs/cgroup/a/b/..e/cpu.max", "100000 100000\n");
    CHECK_EQUAL(0, quota("0::/\n"));
    CHECK_EQUAL(4, quota("0::/a\n"));
    CHECK_EQUAL(4, quota("0::/a/b\n"));
    CHECK_EQUAL(3, quota("0::/a/b/c\n"));            /* 2.5 CPUs need 3 threads */
    CHECK_EQUAL(3, quota("0::/a/b/c/d\n"));          /* the tightest ancestor, not the nearest */
    CHECK_EQUAL(4, quota("0::/a/gone (deleted)\n")); /* missing folders are passed over */
    CHECK_EQUAL(1, quota("0::/a/b/..e\n"));
    CHECK_EQUAL(4, quota("0::/a\n1:name=x:/a/b/c\n")); /* the path of another hierarchy */
    CHECK_EQUAL(0, quota("0::/../outside\n"));
    CHECK_EQUAL(0, quota(""));
    CHECK_EQUAL(0, quota("nonsense\n0:\n::\n0::relative\n"));
    end();
}

static void texts(void)
{
    static const struct {
        const char *text;
        uint32_t cpus;
    } rows[] = {{"50000 100000\n", 1},   {"100000 100000\n", 1}, {"150000 100000\n", 2}, {"150000 50000\n", 3},
                {"1000 1000000\n", 1},   {"max 100000\n", 0},    {"150000\n", 0},        {"100 0\n", 0},
                {"0 100000\n", 0},       {"-1 100000\n", 0},     {"", 0},                {"nonsense here\n", 0},
                {"200001 100000", 3},    {"99999999999999999999 1\n", 0}};
    start(V2("/", "/sys/fs/cgroup"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put("/sys/fs/cgroup/a/cpu.max", rows[i].text);
        CHECK_EQUAL(rows[i].cpus, quota("0::/a\n"));
    }
    end();
}

static void version_1(void)
{
    /* Debian and Ubuntu before version 2: both controllers in one hierarchy. */
    start(V1("/", "/sys/fs/cgroup/cpu,cpuacct", "cpu,cpuacct") V1("/", "/sys/fs/cgroup/cpuset", "cpuset"));
    put_v1("/sys/fs/cgroup/cpu,cpuacct", "-1\n", "100000\n");
    put_v1("/sys/fs/cgroup/cpu,cpuacct/x", "150000\n", "50000\n");
    put_v1("/sys/fs/cgroup/cpu,cpuacct/x/y", "-1\n", "100000\n");
    put_v1("/sys/fs/cgroup/cpuset/x", "1\n", "1\n");
    CHECK_EQUAL(0, quota("4:cpu,cpuacct:/\n"));
    CHECK_EQUAL(3, quota("4:cpu,cpuacct:/x\n"));
    CHECK_EQUAL(3, quota("12:cpuset:/x\n4:cpu,cpuacct:/x/y\n1:name=systemd:/x\n"));
    CHECK_EQUAL(3, quota("4:cpuacct,cpu:/x/y\n")); /* the folder's name has the other order */
    CHECK_EQUAL(0, quota("4:cpuset:/x\n"));        /* another controller whose name starts with cpu */
    end();
    /* Wherever it is mounted. */
    start(V1("/", "/dev/groups\\040of\\134cpu", "cpu"));
    put_v1("/dev/groups of\\cpu/x", "150000\n", "100000\n");
    CHECK_EQUAL(2, quota("4:cpu:/x\n"));
    end();
}

/* systemd's hybrid setup: version 2 beside version 1's hierarchies, without controllers. The tighter quota would
   count. */
static void both_versions(void)
{
    start(V1("/", "/sys/fs/cgroup/cpu", "cpu") V2("/", "/sys/fs/cgroup/unified"));
    put_v1("/sys/fs/cgroup/cpu/x", "300000\n", "100000\n");
    CHECK_EQUAL(3, quota("4:cpu:/x\n0::/x\n"));
    put("/sys/fs/cgroup/unified/x/cpu.max", "200000 100000\n");
    CHECK_EQUAL(2, quota("4:cpu:/x\n0::/x\n"));
    put("/sys/fs/cgroup/unified/x/cpu.max", "900000 100000\n");
    CHECK_EQUAL(3, quota("4:cpu:/x\n0::/x\n"));
    end();
}

static void containers(void)
{
    /* A cgroup namespace (Docker and Kubernetes on version 2): all paths are relative to the container's group. */
    start(V2("/", "/sys/fs/cgroup"));
    put("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    put("/sys/fs/cgroup/init.scope/cpu.max", "max 100000\n");
    CHECK_EQUAL(1, quota("0::/\n"));
    CHECK_EQUAL(1, quota("0::/init.scope\n"));
    CHECK_EQUAL(1, quota("0::/../sibling\n")); /* moved in from outside: the mount's group is the best guess */
    end();
    /* Without the namespace (Docker on version 1): paths from the machine's root, of which a part is mounted. A group
       in the container may have the name of one outside. */
    start(V1("/docker/0123", "/sys/fs/cgroup/cpu,cpuacct", "cpu,cpuacct"));
    put_v1("/sys/fs/cgroup/cpu,cpuacct", "250000\n", "100000\n");
    put_v1("/sys/fs/cgroup/cpu,cpuacct/inner", "150000\n", "100000\n");
    put_v1("/sys/fs/cgroup/cpu,cpuacct/docker", "50000\n", "100000\n");
    CHECK_EQUAL(3, quota("4:cpu,cpuacct:/docker/0123\n"));
    CHECK_EQUAL(2, quota("4:cpu,cpuacct:/docker/0123/inner\n"));
    CHECK_EQUAL(3, quota("4:cpu,cpuacct:/docker/01234\n")); /* not below it: the mount's group is the best guess */
    end();
    /* A second mount shows another group, or all of the machine's groups. */
    start(V2("/docker/other", "/mnt/other") V2("/docker/0123", "/sys/fs/cgroup") V2("/", "/host/sys/fs/cgroup"));
    put("/mnt/other/cpu.max", "50000 100000\n");
    put("/sys/fs/cgroup/cpu.max", "300000 100000\n");
    put("/host/sys/fs/cgroup/docker/0123/cpu.max", "300000 100000\n");
    CHECK_EQUAL(3, quota("0::/docker/0123\n"));
    put("/host/sys/fs/cgroup/docker/cpu.max", "200000 100000\n"); /* visible in that mount alone */
    CHECK_EQUAL(2, quota("0::/docker/0123\n"));
    end();
    /* The mount is older than the namespace, so its group is above the namespace's. */
    start(V2("/..", "/sys/fs/cgroup"));
    put("/sys/fs/cgroup/cpu.max", "300000 100000\n");
    put("/sys/fs/cgroup/sibling/cpu.max", "200000 100000\n");
    CHECK_EQUAL(3, quota("0::/\n"));
    CHECK_EQUAL(2, quota("0::/../sibling\n"));
    CHECK_EQUAL(3, quota("0::/../../sibling\n"));
    end();
}

/* Lines longer than any buffer, and lines that mountinfo never has. */
static void long_and_broken_lines(void)
{
    static char mounts[40000];
    strcpy(mounts, "\n- -\n1 2 - \n1 2 3 4 5 6 7\n30 23 0:26 / /merged rw - overlay overlay rw,lowerdir=");
    memset(mounts + strlen(mounts), 'l', 30000);
    strcat(mounts, "\n" V2("/", "/sys/fs/cgroup") "31 23 0:25 / /no/options rw - cgroup2 cgroup2");
    start(mounts);
    put("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    CHECK_EQUAL(2, quota("0::/a\n"));
    end();
    start(V2("/", "/sys/fs/cgroup")); /* no /proc/self/cgroup */
    CHECK_EQUAL(0, ghcomp_cgroup_quota(root));
    end();
}

static uint32_t threads(const char *groups)
{
    put("/proc/self/cgroup", groups);
    return ghcomp_cgroup_threads_left(root);
}

static void threads_left(void)
{
    start(V2("/", "/sys/fs/cgroup"));
    put("/sys/fs/cgroup/a/pids.max", "100\n");
    put("/sys/fs/cgroup/a/pids.current", "95\n");
    put("/sys/fs/cgroup/a/b/pids.max", "20\n");
    put("/sys/fs/cgroup/a/b/pids.current", "8\n");
    put("/sys/fs/cgroup/c/pids.max", "max\n");
    put("/sys/fs/cgroup/c/pids.current", "8\n");
    put("/sys/fs/cgroup/d/pids.max", "4\n"); /* lowered below what there is */
    put("/sys/fs/cgroup/d/pids.current", "9\n");
    put("/sys/fs/cgroup/e/pids.max", "4\n"); /* half a pair says nothing */
    CHECK_EQUAL(UINT32_MAX, threads("0::/\n"));
    CHECK_EQUAL(5, threads("0::/a\n"));
    CHECK_EQUAL(5, threads("0::/a/b\n")); /* the tightest ancestor, not the nearest */
    CHECK_EQUAL(UINT32_MAX, threads("0::/c\n"));
    CHECK_EQUAL(0, threads("0::/d\n"));
    CHECK_EQUAL(UINT32_MAX, threads("0::/e\n"));
    CHECK_EQUAL(0, quota("0::/a\n"));
    end();
    start(V1("/", "/sys/fs/cgroup/cpu", "cpu") V1("/docker/0a", "/sys/fs/cgroup/pids", "pids"));
    put("/sys/fs/cgroup/pids/pids.max", "30\n");
    put("/sys/fs/cgroup/pids/pids.current", "1\n");
    put("/sys/fs/cgroup/cpu/x/pids.max", "2\n"); /* not that hierarchy's */
    put("/sys/fs/cgroup/cpu/x/pids.current", "1\n");
    CHECK_EQUAL(29, threads("4:cpu:/x\n3:pids:/docker/0a\n"));
    CHECK_EQUAL(UINT32_MAX, threads("4:cpu:/x\n"));
    end();
    start(ROOT_DISK);
    CHECK_EQUAL(UINT32_MAX, threads(""));
    end();
}

int main(void)
{
    version_2();
    texts();
    version_1();
    both_versions();
    containers();
    long_and_broken_lines();
    threads_left();
    CHECK_EQUAL(0, ghcomp_cgroup_quota("/nonexistent"));
    /* What the runtime made of this machine's quota. */
    ghcomp_env_init();
    uint32_t here = ghcomp_cgroup_quota("");
    CHECK_EQUAL(here != 0 ? here : UINT32_MAX, ghcomp_global.cpu_quota);
    CHECK_EQUAL(here != 0 && here < ghcomp_os_cpus() ? here : ghcomp_os_cpus(), ghcomp_global.num_cpus);
    return 0;
}
