# make rescues: programs in the situations that users of OpenMP report, on the system's runtimes and on ours
# (examples/rescues). RESCUES is for rescues.py, as RESCUES='--rows fork-c,quota --runs 1'.

.PHONY: rescues
rescues: dropin
	$(PYTHON) -B examples/rescues/rescues.py run --build $(BUILD) $(RESCUES)
