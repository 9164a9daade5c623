/** Lines of an application file that choose a rule and its price of waiting. */
export function updateYaml(rule: string, parameter: string, weight: number): string {
  const lines = ['update:', '  rule: ' + rule];
  const value = /^(?:period|count|omega|zeta|rho)?\s*=?\s*([\d.]+)/.exec(parameter)?.[1];
  if (rule === 'periodic' && value !== undefined) {
    lines.push('  period: ' + value + 's');
  }
  if (rule === 'count' && value !== undefined) {
    lines.push('  count: ' + Math.round(Number(value)));
  }
  lines.push('  waiting-samples-per-training-second: ' + Number(weight.toPrecision(6)));
  return lines.join('\n') + '\n';
}
