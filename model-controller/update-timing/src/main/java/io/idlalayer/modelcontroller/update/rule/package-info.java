/**
 * The rules that decide when a model is updated, the queue of waiting samples, and the proofs of
 * the rules' bounds.
 *
 * <h2>The problem</h2>
 *
 * Sample k arrives at time a_k and waits until the training that includes it has ended. Waiting and
 * machine time are measured in one unit, the sample-second.
 *
 * <ul>
 *   <li>lambda, eps: a training of s new samples takes lambda * s + eps seconds
 *   <li>w: one second of training costs as much as w samples waiting one second
 *   <li>C = w * eps: what one more update costs
 *   <li>kappa = lambda + eps + w * lambda: the part of a sample's cost that no schedule can change
 *   <li>n: samples that have arrived; s: samples of one group, that is of one update
 *   <li>J, J*: cost of a schedule, cost of the cheapest one
 * </ul>
 *
 * <h2>Virtual time</h2>
 *
 * Let x_k = a_k + 2 * lambda * k, and let x(t) = t + 2 * lambda * N(t) with N(t) arrivals so far: a
 * clock that jumps by 2 * lambda with every arrival. For a group i+1..j that is trained at a_j, the
 * sum of (x_j - x_k) is the sum of (a_j - a_k) plus lambda * s * (s - 1). So
 *
 * <pre>J = sum over the groups (C + W) + n * kappa,   W = sum over the group (x(t) - x_k)</pre>
 *
 * where W is the waiting of a group in virtual time. The clock now contains lambda. If trainings
 * can overlap, the remaining problem is the acknowledgement problem of TCP (Dooly 2001) with
 * acknowledgement cost C. The cost J* of the cheapest schedule with overlap is also a lower bound
 * for one machine.
 *
 * <h2>Two rules within a factor of 2</h2>
 *
 * Let R be the regret of a group, which is the waiting that one earlier update would have saved:
 * the largest k * (x(t) - x_k) over k = 1..s. In the interval between two updates a schedule with j
 * updates of its own pays at least
 *
 * <pre>j * C + max(0, W - j * R)                                       (1)</pre>
 *
 * because each of its updates saves at most R of the waiting W.
 *
 * <ul>
 *   <li>{@code area} (Dooly 2001) trains when W = C, at T_area = (C + sum a_k - lambda * s * (s -
 *       1)) / s. In the interval between two updates of the rule, any other schedule either
 *       updates, which costs C, or lets all samples wait, which costs W = C. The rule pays 2 * C.
 *   <li>{@code dla} (Rang 2021, chapter 5; the rule A_z of Karlin 2001 with z = C, in virtual time)
 *       trains when R = C. k * (x - x_k) &gt;= C is x &gt;= x_k + C / k, so the rule fires at
 *       virtual time D = min over k of (x_k + C / k), that is at T_dla = D - 2 * lambda * s. D is a
 *       running minimum, so no search is needed. By (1) with R = C any other schedule pays at least
 *       W &gt;= C; the rule pays C + W &lt;= 2 * W. With the threshold zeta * C instead of C the
 *       factor is 1 + max(zeta, 1 / zeta).
 * </ul>
 *
 * W &gt;= R, so T_area &lt;= T_dla. <b>The free band:</b> at any time from T_area to T_dla, W &gt;=
 * C and R &lt;= C hold, so the cost of a group that is trained in this band is also at most twice
 * what any schedule pays in the interval of the group. No deterministic rule has a factor below 2
 * (Dooly 2001); a threshold drawn once per run reaches e / (e - 1) = 1.582 in the mean (Karlin
 * 2001).
 *
 * <h2>The guard: any forecast, factor rho</h2>
 *
 * {@code adaptive} follows a forecast that can be wrong. Let V be the cost, without n * kappa, of
 * the cheapest schedule of everything that has arrived. Let A be the cost, without n * kappa, of
 * the updates made so far, and rho &gt;= 2. Outside the free band the rule trains only if
 *
 * <pre>A + C + W + kappa * n &lt;= rho * (V - C + kappa * n)                 (2)</pre>
 *
 * Then J &lt;= rho * J* on every input. Proof: when (2) holds, the cheapest schedule has paid at
 * least V - C + kappa * n, because one more update would make it a schedule of all arrivals. So
 * everything that was paid until then is within the factor rho. Groups after the last update
 * outside the free band were trained inside the free band. Each of these groups costs at most twice
 * what the cheapest schedule pays in the same interval, and the intervals do not overlap. Two caps
 * are added: no group is held beyond R = 2 * C, which bounds the loss on a stream that ends, and if
 * an arrival itself makes the rule fire, the guard uses V as of before this arrival.
 *
 * <p>On one machine, where a training must wait for the end of the previous training, (2) uses the
 * same V, which is still a lower bound, but the factor 2 of the free band is only a conjecture,
 * which tests check. The factor is proved for every period in which no update had to wait.
 *
 * <h2>Arrivals that make a rule fire</h2>
 *
 * An arrival moves virtual time on by 2 * lambda. If a threshold is reached inside this jump, the
 * group is trained without the newest sample, which begins the next group, because a rule on a
 * continuous clock would have trained when it reached the threshold. {@link CrossingSearch} finds
 * the sample of an upload that makes a rule fire, so the decisions on an upload of many samples are
 * the same as if its samples had arrived one by one.
 */
@NullMarked
package io.idlalayer.modelcontroller.update.rule;

import org.jspecify.annotations.NullMarked;
