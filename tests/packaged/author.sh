# SPDX-License-Identifier: Apache-2.0
# On a bare system, with all packages in /with (tools/deb --check): the README's plugin compiles, passes and runs, and the
# plugins of their own packages load.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes
apt-get update -qq 2>/dev/null || true
apt-get install -y -qq --no-install-recommends /with/*.deb gcc libc6-dev pkg-config >/dev/null
mkdir /tmp/mine && cd /tmp/mine
sed -n '/^```c$/,/^```$/p' /crucible/README.md | sed '/^```/d' >logreg.c
bash -c "$(grep -m1 'gcc -shared' /crucible/README.md | sed 's/^ *//')"
crucible check ./logreg.so
printf '[experiment]\nname = mine\nseeds = 0..1\n[dataset csbm]\nnodes = 300\n[algorithm logreg]\nepochs = 20\n' >mine.ini
CRUCIBLE_PLUGIN_PATH=. crucible run mine.ini --db mine.db --quiet
CRUCIBLE_PLUGIN_PATH=. crucible report --db mine.db
for plugin in xgb-graph mat; do crucible info "$plugin" >/dev/null; done
crucible new algorithm my-method && crucible new metric my-metric
echo "packaged sdk: ok"
