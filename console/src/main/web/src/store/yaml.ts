/**
 * Lines of an application file that choose a rule and its price of waiting.
 *
 * @param machinePrice of a second of training, if the file says prices; it takes only one of both ways then
 */
export function updateYaml(rule: string, parameter: string, weight: number, machinePrice: number | null): string {
  const lines = ['update:', '  rule: ' + rule];
  const value = /^(?:period|count|omega|zeta|rho)?\s*=?\s*([\d.]+)/.exec(parameter)?.[1];
  if (rule === 'periodic' && value !== undefined) {
    lines.push('  period: ' + value + 's');
  }
  if (rule === 'count' && value !== undefined) {
    lines.push('  count: ' + Math.round(Number(value)));
  }
  if (machinePrice === null) {
    lines.push('  waiting-samples-per-training-second: ' + plain(weight));
  } else {
    lines.push('  machine-price-per-second: ' + plain(machinePrice));
    lines.push('  staleness-price-per-sample-second: ' + plain(machinePrice / weight));
  }
  return lines.join('\n') + '\n';
}

/** Six digits, without an exponent. */
function plain(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumSignificantDigits: 6 });
}
