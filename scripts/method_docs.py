# SPDX-License-Identifier: Apache-2.0
"""Writes docs/methods.md from the registry: ideal methods --json | python3 scripts/method_docs.py > docs/methods.md"""
import json
import sys

INTRODUCTION = """# Methods

Made from the registry by `scripts/method_docs.py`; `ideal methods NAME` shows the same in a terminal.

Notation: X holds one vector x_i per agent, F(X) = sum_i f_i(x_i), g = grad F. W is the mixing matrix (symmetric, positive
semi-definite, kernel span(1)), lambda_max and lambda_min its extreme positive eigenvalues, kappa_W their ratio; M is W, or Q(W)
for a multi-stage method. L and mu are the largest smoothness and the smallest strong convexity of an agent, kappa_f = L/mu.
nest(kappa) = (sqrt(kappa) - 1)/(sqrt(kappa) + 1). W_DS = I - s W with s = 1 if lambda_max < 2, else 1/lambda_max.
sigma = |W_DS - 11'/n|. FastMix(Z, K) is K rounds Z_{k+1} = (1 + eta) P Z_k - eta Z_{k-1}, Z_{-1} = Z_0 = Z, with P = I - W/lambda_max,
r = 1 - 1/kappa_W, eta = (1 - sqrt(1 - r^2))/(1 + sqrt(1 - r^2)).
L_rho = lambda_max/(mu + rho lambda_max), mu_rho = lambda_min/(L + rho lambda_min), kappa_in = (L + rho lambda_max)/mu.

Cost is (computations, communications): one gradient of F by all agents at once, one exchange of one vector with the neighbours.
"""


def escape(text):
    return text.replace("|", "\\|")


def section(method):
    lines = [f"### `{method['name']}`", "", f"{method['summary'][0].upper()}{method['summary'][1:]}.", ""]
    lines += ["```", *method["rule"].replace(";  ", "\n").split("\n"), "```", ""]
    lines += [f"- cost: {method['cost']}", f"- iterations: {method['rate']}", f"- assumes: {method['assumptions']}"]
    lines += [] if method["linear"] else ["- does not reach the optimum linearly"]
    lines += [f"- {method['citation']}", "", "| parameter | default | values | meaning |", "|---|---|---|---|"]
    lines += [f"| `{p['key']}` | {p['default']} | {escape(p['rule'])} | {escape(p['help'])} |" for p in method["parameters"]]
    return "\n".join(lines) + "\n"


def main():
    methods = json.load(sys.stdin)
    print(INTRODUCTION)
    for family in dict.fromkeys(method["family"] for method in methods):
        print(f"## {family[0].upper()}{family[1:]}\n")
        print("\n".join(section(method) for method in methods if method["family"] == family))


main()
