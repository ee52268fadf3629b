# SPDX-License-Identifier: Apache-2.0
"""Writes docs/methods.md from the registry: ideal methods --json | python3 scripts/method_docs.py > docs/methods.md"""
import json
import sys

import formulas

INTRODUCTION = r"""# Methods

Made from the registry by `scripts/method_docs.py`; `ideal methods NAME` shows the same in a terminal.

Notation: $`X`$ holds one vector $`x_i`$ per agent, $`F(X) = \sum_i f_i(x_i)`$, $`g = \nabla F`$; $`X^{+}`$ is the next $`X`$ and $`X^{-}`$ the one
before. $`W`$ is the mixing matrix (symmetric, positive semi-definite, kernel $`\operatorname{span}(\mathbf{1})`$), $`\lambda_{\max}`$ and
$`\lambda_{\min}`$ its extreme positive eigenvalues, $`\kappa_W`$ their ratio; $`M`$ is $`W`$, or $`Q(W)`$ for a multi-stage method. $`L`$ and $`\mu`$ are
the largest smoothness and the smallest strong convexity of an agent, $`\kappa_f = L/\mu`$.

```math
\begin{aligned}
& \operatorname{nest}(\kappa) = (\sqrt{\kappa} - 1)/(\sqrt{\kappa} + 1) \\
& W_{\mathrm{DS}} = I - s W, \quad s = 1 \text{ if } \lambda_{\max} < 2, \text{ else } 1/\lambda_{\max}, \quad \sigma = \lVert W_{\mathrm{DS}} - \mathbf{1}\mathbf{1}^{\top}/n \rVert \\
& \operatorname{FastMix}(Z, K)\text{: } K \text{ rounds } Z_{k+1} = (1 + \eta) P Z_k - \eta Z_{k-1}, \quad Z_{-1} = Z_0 = Z, \quad P = I - W/\lambda_{\max}, \\
& \qquad r = 1 - 1/\kappa_W, \quad \eta = (1 - \sqrt{1 - r^2})/(1 + \sqrt{1 - r^2}) \\
& L_\rho = \lambda_{\max}/(\mu + \rho \lambda_{\max}), \quad \mu_\rho = \lambda_{\min}/(L + \rho \lambda_{\min}), \quad \kappa_\rho = L_\rho/\mu_\rho, \quad \kappa_{\mathrm{in}} = (L + \rho \lambda_{\max})/\mu
\end{aligned}
```

Cost is (computations, communications): one gradient of $`F`$ by all agents at once, one exchange of one vector with the neighbours. The rate is the number
of iterations to accuracy $`\varepsilon`$, up to constants.
"""


def cell(text):
    return text.replace("|", "\\|")



def overview(methods):
    lines = ["| method | family | assumptions | rate | cost | citation |", "|---|---|---|---|---|---|"]
    lines += [f"| [`{m['name']}`](#{m['name']}) | {m['family']} | {formulas.inline(m['assumptions'])} | {formulas.inline(m['rate'])} "
              f"| {formulas.inline(m['cost'])} | {cell(m['citation'])} |" for m in methods]
    return "\n".join(lines) + "\n"


def section(method):
    lines = [f"### `{method['name']}`", "", f"{method['summary'][0].upper()}{method['summary'][1:]}.", ""]
    lines += [formulas.rule(method["rule"]), ""]
    lines += [f"- cost: {formulas.inline(method['cost'])}", f"- iterations: {formulas.inline(method['rate'])}",
              f"- assumes: {formulas.inline(method['assumptions'])}"]
    lines += [f"- runs also where {'; '.join(method['meets'])}"] if method["meets"] else []
    lines += [] if method["linear"] else ["- does not reach the optimum linearly"]
    lines += [f"- {method['citation']}", "", "| parameter | default | values | meaning |", "|---|---|---|---|"]
    lines += [f"| `{p['key']}` | {p['default']} | {cell(p['rule'])} | {cell(p['help'])} |" for p in method["parameters"]]
    return "\n".join(lines) + "\n"


def main():
    methods = json.load(sys.stdin)
    print(INTRODUCTION)
    print(overview(methods))
    for family in dict.fromkeys(method["family"] for method in methods):
        print(f"## {family[0].upper()}{family[1:]}\n")
        print("\n".join(section(method) for method in methods if method["family"] == family))


main()
