# SPDX-License-Identifier: Apache-2.0
"""The registry's notation as LaTeX."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
import formulas  # noqa: E402


def math(text):
    """What is made of a text that is one formula."""
    (kind, latex), = formulas.parts_of(text)
    assert kind == "math", text
    return latex.replace(" ", "")


class Formulas(unittest.TestCase):
    def check(self, plain, latex):
        self.assertEqual(math(plain), latex.replace(" ", ""), plain)

    def test_names(self):
        self.check("kappa_f", r"\kappa_{f}")
        self.check("lambda_max", r"\lambda_{\max}")
        self.check("kappa_in", r"\kappa_{\mathrm{in}}")
        self.check("kappa_rho", r"\kappa_{\rho}")
        self.check("W_DS", r"W_{\mathrm{DS}}")
        self.check("W_ii", r"W_{ii}")
        self.check("X_{k+1}", r"X_{k+1}")
        self.check("eps", r"\varepsilon")
        self.check("b0", r"b_{0}")
        self.check("Xg", "X_g")
        self.check("2t", "2t")

    def test_next_and_before(self):
        self.check("Lambda+", r"\Lambda^{+}")
        self.check("x_i+", "x_{i}^{+}")
        self.check("X- - alpha", r"X^{-}-\alpha")
        self.check("(X+ + a V+)/(1 + a)", "(X^{+}+aV^{+})/(1+a)")
        self.check("k+1", "k+1")
        self.check("(k-1)/(k+2)", "(k-1)/(k+2)")
        self.check("X^/(e L)", r"\hat{X}/(eL)")
        self.check("X^ - X", r"\hat{X}-X")
        self.check("Y^+ = Y", r"\hat{Y}^{+}=Y")
        self.check("Lambda' = V", r"\Lambda'=V")
        self.check("grad F*(-Lambda)", r"\nabla F^{*}(-\Lambda)")

    def test_functions_and_powers(self):
        self.check("sqrt(kappa_f kappa_W)", r"\sqrt{\kappa_{f}\kappa_{W}}")
        self.check("sqrt(1 + sqrt(k))", r"\sqrt{1+\sqrt{k}}")
        self.check("ceil(2 ln k)", r"\lceil 2\ln k\rceil")
        self.check("kappa_f^(5/7)", r"\kappa_{f}^{5/7}")
        self.check("(k+1)^-decay", r"(k+1)^{-\text{decay}}")
        self.check("W_DS^tx", r"W_{\mathrm{DS}}^{t_x}")
        self.check("log^2(1/eps)", r"\log^{2}(1/\varepsilon)")
        self.check("t_k^2", "t_{k}^{2}")
        self.check("P^T_k Z0", "P^{T_{k}}Z_{0}")
        self.check("exp(-k sqrt(mu))", r"\exp(-k\sqrt{\mu})")
        self.check("mean_i grad f_i(y)", r"\operatorname{mean}_{i}\nabla f_{i}(y)")

    def test_brackets(self):
        self.check("<Omega,X> + rho/2 <X,WX>", r"\langle\Omega,X\rangle+\rho/2\langle X,WX\rangle")
        self.check("<2 x_i - (WX)_i, x>", r"\langle 2x_{i}-(WX)_{i},x\rangle")
        self.check("(c/2) |x|^2", r"(c/2)\lVert x\rVert^{2}")
        self.check("|W_DS - 11'/n|", r"\lVert W_{\mathrm{DS}}-\mathbf{1}\mathbf{1}^{\top}/n\rVert")
        self.check("x_i <- x", r"x_{i}\leftarrow x")
        self.check("kappa_M <= 4", r"\kappa_{M}\le4")

    def test_words_in_brackets_stay_in_the_formula(self):
        self.check("(passes T, passes)", r"(\text{passes}\;T,\text{passes})")
        self.check("(3, 4 diameters + 4)", r"(3,4\;\text{diameters}\;+4)")
        self.assertEqual(formulas.inline("(K, 2 radius of the graph)"), r"$`(K, 2 \;\text{radius of the graph})`$")
        self.check("(batch_k/rows, J)", r"(\text{batch}_{k}/\text{rows},J)")

    def test_prose_is_left_alone(self):
        for text in ("as ideal1", "those of dal-jacobi times the colours of the graph", "each agent's Hessian, a flood",
                     "sublinear, or linear to a neighbourhood", "similar triangles' step (published: at the optimum) along it", "a server, made on any graph by sums over a tree"):
            self.assertEqual(formulas.inline(text), text)

    def test_formulas_in_prose(self):
        self.assertEqual(formulas.inline("f_i convex; a server"), "$`f_{i}`$ convex; a server")
        self.assertEqual(formulas.inline("1/k^2 after k iterations, which take a power of L"),
                         "$`1 / k^{2}`$ after $`k`$ iterations, which take a power of $`L`$")
        self.assertEqual(formulas.inline("class 1: L"), "class 1: $`L`$")
        self.assertEqual(formulas.inline("where a W_DS is"), "where $`a W_{\\mathrm{DS}}`$ is")

    def test_a_table_keeps_its_columns(self):
        self.assertNotIn("|", formulas.inline("G = |grad F(X*)|"))

    def test_rules(self):
        self.assertEqual(formulas.rule("X+ = Y;  Y+ = X,  a = 1;  the answer is Y"), "\n".join([
            "```math", r"\begin{aligned}", r"& X^{+} = Y \\", r"& Y^{+} = X \text{, } \quad a = 1", r"\end{aligned}", "```",
            "", "The answer is $`Y`$."]))
        self.assertEqual(formulas.rule("SSDA with W replaced by Q(W)"), "SSDA with $`W`$ replaced by $`Q (W)`$.")


if __name__ == "__main__":
    unittest.main()
