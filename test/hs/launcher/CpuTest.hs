-- | Quotas from prepared control group trees.
module CpuTest (tests) where

import Data.Functor.Identity (Identity (..))
import Test.Tasty
import Test.Tasty.HUnit

import Ghcomp.Cpu

tests :: TestTree
tests = testGroup "cpu"
    [ testCase "version 2: the tightest quota on the way up" $
        quota [ ("/proc/self/cgroup", "0::/a/b\n"), v2 "/"
              , ("/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n"), ("/sys/fs/cgroup/a/cpu.max", "150000 100000\n")
              , ("/sys/fs/cgroup/cpu.max", "max 100000\n") ]
            @?= Just (Quota 150000 100000 "/sys/fs/cgroup/a")
    , testCase "version 2: max is none" $
        quota [("/proc/self/cgroup", "0::/a\n"), v2 "/", ("/sys/fs/cgroup/a/cpu.max", "max 100000\n")] @?= Nothing
    , testCase "version 2 in a container whose mount shows a part of the tree" $
        quota [ ("/proc/self/cgroup", "0::/docker/x/in\n"), v2 "/docker/x"
              , ("/sys/fs/cgroup/in/cpu.max", "50000 100000\n") ] @?= Just (Quota 50000 100000 "/sys/fs/cgroup/in")
    , testCase "version 2 with a path outside of the mount" $
        quota [ ("/proc/self/cgroup", "0::/../x\n"), v2 "/", ("/sys/fs/cgroup/cpu.max", "20000 10000\n") ]
            @?= Just (Quota 20000 10000 "/sys/fs/cgroup")
    , testCase "version 1" $
        quota [ ("/proc/self/cgroup", "9:memory:/m\n4:cpu,cpuacct:/g\n1:name=systemd:/\n")
              , ("/proc/self/mountinfo"
                 , "30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
                                         ++ "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
              , ("/sys/fs/cgroup/cpu,cpuacct/g/cpu.cfs_quota_us", "250000\n")
              , ("/sys/fs/cgroup/cpu,cpuacct/g/cpu.cfs_period_us", "100000\n")
              , ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
              , ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n") ]
            @?= Just (Quota 250000 100000 "/sys/fs/cgroup/cpu,cpuacct/g")
    , testCase "version 1 in a container whose mount shows a part of the tree, at an odd place" $
        quota [ ("/proc/self/cgroup", "4:cpu,cpuacct:/docker/x/in\n")
              , ("/proc/self/mountinfo", "31 23 0:29 /docker/x /dev/cpu\\040groups rw - cgroup cgroup rw,cpuacct,cpu\n")
              , ("/dev/cpu groups/in/cpu.cfs_quota_us", "-1\n"), ("/dev/cpu groups/in/cpu.cfs_period_us", "100000\n")
              , ("/dev/cpu groups/cpu.cfs_quota_us", "50000\n"), ("/dev/cpu groups/cpu.cfs_period_us", "100000\n") ]
            @?= Just (Quota 50000 100000 "/dev/cpu groups")
    , testCase "of several mounts, those that show the group" $ do
        let files = [ ("/proc/self/cgroup", "0::/docker/x\n")
                    , ("/proc/self/mountinfo", "1 2 0:25 /docker/y /y rw - cgroup2 cgroup2 rw\n"
                                               ++ "1 2 0:25 /docker/x /x rw - cgroup2 cgroup2 rw\n")
                    , ("/y/cpu.max", "50000 100000\n"), ("/x/cpu.max", "300000 100000\n") ]
        quota files @?= Just (Quota 300000 100000 "/x")
        quota (("/proc/self/cgroup", "0::/docker/z\n") : files) @?= Just (Quota 50000 100000 "/y")
    , testCase "a mount that is older than the namespace" $ do
        let at group = [ ("/proc/self/cgroup", "0::" ++ group ++ "\n"), v2 "/.."
                       , ("/sys/fs/cgroup/s/cpu.max", "200000 100000\n")
                       , ("/sys/fs/cgroup/cpu.max", "300000 100000\n") ]
        quota (at "/../s") @?= Just (Quota 200000 100000 "/sys/fs/cgroup/s")
        quota (at "/../../s") @?= Just (Quota 300000 100000 "/sys/fs/cgroup")
    , testCase "nothing to read, or nothing that makes sense" $ do
        quota [] @?= Nothing
        quota [("/proc/self/cgroup", "\n:\nx"), ("/proc/self/mountinfo", "- -\n\n1 2 - \n")] @?= Nothing
        quota [("/proc/self/cgroup", "0::/\n"), v2 "/", ("/sys/fs/cgroup/cpu.max", "100 0\n")] @?= Nothing
    , testCase "whole CPUs, rounded up, at least one, never more than the affinity" $ do
        map (\t -> quotaCpus (Quota t 100000 "")) [1, 100000, 100001, 400000] @?= [1, 1, 2, 4]
        processors True (Cpus 3 Nothing (Just (Quota 400000 100000 ""))) @?= 3
        processors True (Cpus 8 Nothing (Just (Quota 150000 100000 ""))) @?= 2
        processors False (Cpus 8 Nothing (Just (Quota 150000 100000 ""))) @?= 8
    , testCase "Capabilities of an RTS that is started" $
        [capabilities 4 Nothing, capabilities 4 (Just 2), capabilities 4 (Just 9), capabilities 400 (Just 400)]
            @?= [4, 2, 4, 256]
    , testCase "a list of CPUs" $
        map listLength ["0-3,8", "5", "", "3-1", "0-x"] @?= [Just 5, Just 1, Nothing, Nothing, Nothing]
    , testCase "CPUs that are off are not usable" $ do
        let status list = "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t" ++ list ++ "\n"
            allowed list online = allowedOf (Just (status list)) online
        allowed "0-3" (Just "0-1,3\n") @?= Just "0-1,3"
        allowed "1,3-5" (Just "0-7\n") @?= Just "1,3-5"
        allowed "0-8191" (Just "0-63\n") @?= Just "0-63"
        allowed "2-6" (Just "0-2,4,6-9\n") @?= Just "2,4,6"
        allowed "0-3" Nothing @?= Just "0-3"
        allowed "0-3" (Just "\n") @?= Just "0-3"
        allowedOf Nothing (Just "0-3\n") @?= Nothing
    ]
  where
    v2 root = ("/proc/self/mountinfo", "29 23 0:25 " ++ root ++ " /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n")

-- | The pure core of 'quotaOf' through a table of files.
quota :: [(FilePath, String)] -> Maybe Quota
quota files = runIdentity (quotaOf (\f -> Identity (lookup f files)))
