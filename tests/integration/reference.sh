# SPDX-License-Identifier: Apache-2.0
# The references are what their sources say now: sdk/REFERENCE.md from the headers, plugins/REFERENCE.md from the plugins,
# configs/REFERENCE.md from the tables of the sections.
. "$(dirname "$0")/lib.sh"
expect 0 python3 "$SOURCE/tools/reference" --check --build "$BUILD"
