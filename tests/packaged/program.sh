# SPDX-License-Identifier: Apache-2.0
# On a bare system, with the package crucible in /with (tools/deb --check): its dependencies suffice for the quickstart's experiment.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes
apt-get update -qq 2>/dev/null || true
apt-get install -y -qq --no-install-recommends /with/*.deb >/dev/null
! command -v gcc >/dev/null || { echo "FAILED: a compiler came along"; exit 1; }
[ ! -e /usr/include/crucible ] || { echo "FAILED: headers came along"; exit 1; }
for heavy in libxgboost0 libmatio11 libhdf5-103-1; do
  ! dpkg-query -W "$heavy" 2>/dev/null || { echo "FAILED: $heavy came along"; exit 1; }
done
cd /tmp
crucible --version
crucible list >list.txt
! grep -A9 '^broken' list.txt || { echo "FAILED: broken plugins"; exit 1; }
crucible run /usr/share/crucible/configs/quickstart.ini --db quickstart.db --quiet
crucible report --db quickstart.db
crucible report --db quickstart.db --format csv | grep -q '^quickstart,accuracy,gcn,rate=0,98' || { echo "FAILED: no row gcn"; exit 1; }
crucible stats /usr/share/crucible/datasets/examples/own-graph/own-graph.ini >/dev/null
[ -s /usr/share/man/man1/crucible-run.1 ] || [ -s /usr/share/man/man1/crucible-run.1.gz ]
[ -s /usr/share/bash-completion/completions/crucible ]
[ -s /usr/share/doc/crucible/LICENSE ]
echo "packaged program: ok"
