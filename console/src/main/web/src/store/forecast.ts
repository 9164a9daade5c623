/** When the charge of the samples that wait reaches the threshold. While a drift is open the threshold is lower, not the charge higher. */

export interface Waiting {
  /** charged so far, sample-seconds */
  charge: number;
  /** sample-seconds at which the rule fires */
  threshold: number;
  /** samples that wait */
  pending: number;
  /** arrivals that are expected, samples a second */
  arrivalsPerSecond: number;
}

/** Charge after so many seconds, if arrivals go on as they do. */
export function chargeAfter(waiting: Waiting, seconds: number): number {
  const { charge, pending, arrivalsPerSecond } = waiting;
  return charge + pending * seconds + (arrivalsPerSecond * seconds * seconds) / 2;
}

/** Seconds until the charge reaches the threshold; null if it never will. */
export function secondsToThreshold(waiting: Waiting): number | null {
  const { charge, threshold, pending, arrivalsPerSecond } = waiting;
  const rest = threshold - charge;
  if (rest <= 0) {
    return 0;
  }
  if (arrivalsPerSecond > 0) {
    // r/2 t^2 + p t - rest = 0, in the form that keeps its digits when r is small
    const root = Math.sqrt(pending * pending + 2 * arrivalsPerSecond * rest);
    return (2 * rest) / (pending + root);
  }
  return pending > 0 ? rest / pending : null;
}

/** Seconds until the next firing by the learner's own forecast; null if it named no time. */
export function secondsToFiring(nextFiringInSeconds: number, saidMillis: number, nowMillis: number): number | null {
  if (nextFiringInSeconds < 0) {
    return null;
  }
  return Math.max(0, nextFiringInSeconds - (nowMillis - saidMillis) / 1000);
}

/** How the charge is expected to rise to the threshold. */
export interface Rise {
  /** until the threshold is reached */
  seconds: number;
  /** from the present rate of arrivals, or from the time that the learner named */
  from: 'arrivals' | 'learner';
  chargeAfter(seconds: number): number;
}

const CHARGE = 'decision.grounds.charge.sampleSeconds';
const REST = '(decision.grounds.charge.thresholdSampleSeconds - ' + CHARGE + ')';
const NEXT = 'decision.nextFiringInSeconds';
const PENDING = 'decision.pending';
const ARRIVALS = 'rate(samples.received)';

/** The seconds of a rise, for a number on a screen. */
export function secondsFormula(from: Rise['from']): string {
  return from === 'learner'
    ? NEXT
    : '2 * REST / (PENDING + sqrt(PENDING * PENDING + 2 * ARRIVALS * REST))'
        .replaceAll('REST', REST)
        .replaceAll('PENDING', PENDING)
        .replaceAll('ARRIVALS', ARRIVALS);
}

/** The charge of a rise after so many seconds, themselves a formula. */
export function chargeFormula(from: Rise['from'], seconds: string): string {
  return (
    CHARGE +
    ' + ' +
    (from === 'learner'
      ? 'max(0, ' + REST + ') / ' + NEXT + ' * (' + seconds + ')'
      : PENDING + ' * (' + seconds + ') + ' + ARRIVALS + ' * (' + seconds + ') * (' + seconds + ') / 2')
  );
}

/** Rules that charge the waiting time itself, so that its rise is known. */
const CHARGE_WAITING = new Set(['area', 'adaptive']);

/** The rise to the threshold by the kind of rule; null if there is no threshold, or it is not in sight. */
export function riseOf(rule: string, waiting: Waiting, nextFiringInSeconds: number): Rise | null {
  if (waiting.threshold <= 0) {
    return null;
  }
  if (CHARGE_WAITING.has(rule)) {
    const seconds = secondsToThreshold(waiting);
    return seconds === null ? null : { seconds, from: 'arrivals', chargeAfter: (after) => chargeAfter(waiting, after) };
  }
  if (nextFiringInSeconds < 0) {
    return null;
  }
  const rest = Math.max(0, waiting.threshold - waiting.charge);
  const slope = nextFiringInSeconds > 0 ? rest / nextFiringInSeconds : 0;
  return { seconds: nextFiringInSeconds, from: 'learner', chargeAfter: (after) => waiting.charge + slope * after };
}
