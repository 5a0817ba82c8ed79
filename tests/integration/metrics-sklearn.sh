# SPDX-License-Identifier: Apache-2.0
# Metrics against scikit-learn on a thousand random cases.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c 'import sklearn' 2>/dev/null || { echo "SKIP: python3-sklearn is not installed"; exit 0; }

expect 0 /usr/bin/python3 "$SOURCE/tests/integration/metrics-sklearn.py" "$BUILD/tests/metric-values" \
    "$(find "$BUILD/lib" -path '*/plugins/metrics' -type d)"
echo "$out"
