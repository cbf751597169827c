# What cbits/abi/abi.tsv generates, and the check of the built objects against it (tools/abi.py).

.PHONY: gen-abi check-abi
gen: gen-abi
gen-abi:
	$(PYTHON) tools/abi.py gen

# The map is committed, so a machine without Python builds too.
$(MAP): cbits/abi/abi.tsv
	@if command -v $(PYTHON) >/dev/null 2>&1; then $(PYTHON) tools/abi.py gen; fi; touch $@

check-abi: lib dropin
	$(PYTHON) tools/abi.py check
