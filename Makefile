# Two commands set everything up: `make demo` runs the main job, `make test` everything that must hold.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo workbench test format bench honesty docs pictures site model entailment-model clean
.DEFAULT_GOAL := demo

$(VENV)/.python: Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Karat needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.developed: $(VENV)/.python pyproject.toml requirements-pipeline.txt requirements-semantic.txt requirements-llm.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-pipeline.txt -r requirements-semantic.txt -r requirements-llm.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs,language,semantic,xlsx,parquet,web,report,postgres,llm,local-llm,cluster]'
	@touch $@ $(VENV)/.installed $(VENV)/.report

# The demo with its report, which needs the report extra.
$(VENV)/.report: $(VENV)/.python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[report]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.report
	@mkdir -p build
	@$(BIN)/karat demo --report build/demo-report.html

# The workbench with a filled campaign; needs the web extra, which the main demo does not.
$(VENV)/.web: $(VENV)/.python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[web]'
	@touch $@

workbench: $(VENV)/.web
	@$(BIN)/karat serve --demo

test: $(VENV)/.developed
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

format: $(VENV)/.developed
	$(BIN)/ruff format src tests benchmarks docs
	$(BIN)/ruff check --fix src tests benchmarks docs

docs: $(VENV)/.developed
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/tutorials.py
	$(BIN)/python docs/pictures/terminal.py

# The pictures of the documentation; chromium is needed.
pictures: $(VENV)/.developed
	$(BIN)/python docs/pictures/terminal.py
	$(BIN)/python docs/pictures/charts.py
	$(BIN)/python docs/pictures/report.py
	$(BIN)/python docs/pictures/workbench.py

# The documentation as a static site, in site/: open site/index.html.
$(VENV)/.documented: $(VENV)/.python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

site: $(VENV)/.documented
	$(BIN)/python -m mkdocs build --quiet --strict
	@echo 'The site is in site/: open site/index.html'

bench: $(VENV)/.developed
	$(BIN)/python benchmarks/speed/streaming.py
	$(BIN)/python benchmarks/speed/shards.py
	$(BIN)/python benchmarks/speed/startup.py
	$(BIN)/python benchmarks/speed/scoring.py
	$(BIN)/python benchmarks/speed/statistics_of_runs.py
	$(BIN)/python benchmarks/speed/many_runs.py --sizes 300,3000 --only score,compare,plan,stability,agree
	$(BIN)/python benchmarks/speed/judging.py --scale 0.1
	$(BIN)/python benchmarks/speed/meaning.py
	$(BIN)/python benchmarks/speed/caching.py
	$(BIN)/python benchmarks/speed/citations.py
	$(BIN)/python benchmarks/speed/validating.py
	$(BIN)/python benchmarks/speed/annotators.py
	$(BIN)/python benchmarks/speed/pages.py
	$(BIN)/python benchmarks/speed/importing.py
	$(BIN)/python benchmarks/speed/results.py
	$(BIN)/python benchmarks/speed/reporting.py
	$(BIN)/python benchmarks/speed/growth.py

# Whether every promise about intervals, tests and plans holds; SCALE=1 takes an hour, 0.1 a few minutes.
honesty: $(VENV)/.developed
	$(BIN)/python benchmarks/honesty --scale $(or $(SCALE),0.1)

# The role model is trained from PropBank files, which are not part of the repository: make model DATA=folder
model: $(VENV)/.developed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[language,train]'
	OMP_NUM_THREADS=1 $(BIN)/python -m karat.language.train $(or $(DATA),$(error say where the PropBank files are: make model DATA=folder))

# The entailment model is trained from the sets of data/nli and PropBank, starting from MiniLM; neither is part of the
# repository: make entailment-model DATA=folder START=model.safetensors
entailment-model: $(VENV)/.developed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[language,semantic,train]' onnx
	OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive $(BIN)/python -m karat.language.train.entailment \
		$(or $(DATA),$(error say where the data are: make entailment-model DATA=folder START=model.safetensors)) \
		--start $(or $(START),$(error say where the weights of all-MiniLM-L6-v2 are: START=model.safetensors))

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
