/**
 * The rules that decide when a model is updated, the queue of waiting samples, and the proofs of
 * the rules' bounds.
 *
 * <h2>The problem</h2>
 *
 * Sample k arrives at time a_k and waits until the training that takes it along has ended. One
 * currency, the sample-second, charges waiting and machine time alike.
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
 * where W is the waiting of a group in virtual time. lambda has disappeared into the clock, and
 * what is left is the acknowledgement problem of TCP (Dooly 2001) with acknowledgement cost C, if
 * trainings may overlap. The cost J* of the cheapest schedule with overlap is also a lower bound
 * for one machine.
 *
 * <h2>Two rules within a factor of 2</h2>
 *
 * Let R be the regret of a group: what one earlier update would have saved, the largest k * (x(t) -
 * x_k) over k = 1..s. In the interval between two updates a schedule with j updates of its own pays
 * at least
 *
 * <pre>j * C + max(0, W - j * R)                                       (1)</pre>
 *
 * because each of its updates saves at most R of the waiting W.
 *
 * <ul>
 *   <li>{@code area} (Dooly 2001) trains when W = C, at T_area = (C + sum a_k - lambda * s * (s -
 *       1)) / s. Any other schedule updates in that interval, which costs C, or waits all of W = C;
 *       the rule pays 2 * C.
 *   <li>{@code dla} (Rang 2021, chapter 5; the rule A_z of Karlin 2001 with z = C, in virtual time)
 *       trains when R = C. k * (x - x_k) &gt;= C is x &gt;= x_k + C / k, so it fires at virtual
 *       time D = min over k of (x_k + C / k), that is at T_dla = D - 2 * lambda * s: a running
 *       minimum, no search. By (1) with R = C any other schedule pays at least W &gt;= C; the rule
 *       pays C + W &lt;= 2 * W. With the threshold zeta * C instead of C the factor is 1 +
 *       max(zeta, 1 / zeta).
 * </ul>
 *
 * W &gt;= R, so T_area &lt;= T_dla. <b>The free band:</b> at any time from T_area to T_dla, W &gt;=
 * C and R &lt;= C hold, so a group that is trained there also costs at most twice what any schedule
 * pays in its interval. No deterministic rule has a factor below 2 (Dooly 2001); a threshold drawn
 * once per run reaches e / (e - 1) = 1.582 in the mean (Karlin 2001).
 *
 * <h2>The guard: any forecast, factor rho</h2>
 *
 * {@code adaptive} follows a forecast that may be wrong. Let V be the cost without n * kappa of the
 * cheapest schedule of everything that has arrived, A that of the updates made so far, and rho
 * &gt;= 2. Outside the free band it trains only if
 *
 * <pre>A + C + W + kappa * n &lt;= rho * (V - C + kappa * n)                 (2)</pre>
 *
 * Then J &lt;= rho * J* on every input. Proof: when (2) holds, the cheapest schedule has paid at
 * least V - C + kappa * n, since one more update would complete it to a schedule of all arrivals,
 * so all that was paid until then is within the factor rho. Groups after the last guarded update
 * were trained inside the free band, each at most twice what the cheapest schedule pays in the same
 * interval, and the intervals do not overlap. Two caps are added: no group is held beyond R = 2 *
 * C, which bounds the loss on a stream that ends, and an arrival that itself makes a rule fire is
 * guarded by what was known before it.
 *
 * <p>On one machine, where a training must wait for the last to end, (2) uses the same V, which is
 * still a lower bound, but the factor 2 of the free band is a conjecture that tests watch. It is
 * proved for every stretch in which no update had to wait.
 *
 * <h2>Arrivals that make a rule fire</h2>
 *
 * An arrival moves virtual time on by 2 * lambda. What is reached inside that jump is trained
 * without the newest sample, which opens the next group: the continuous rule would have trained at
 * the crossing. {@link CrossingSearch} finds the sample of an upload that makes a rule fire, so an
 * upload of many is decided like its samples one by one.
 */
@NullMarked
package io.idlalayer.modelcontroller.update.rule;

import org.jspecify.annotations.NullMarked;
