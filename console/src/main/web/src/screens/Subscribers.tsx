import type { Subscriber, SubscribersAnswer } from '../api/types.ts';
import { count } from '../format/number.ts';
import { age, dateTime } from '../format/time.ts';
import { Card, Quiet, Sign, TableBox } from '../parts/parts.tsx';
import type { Severity } from '../store/verdicts.ts';

/** The processes that serve the models, as they report themselves. */
export function Subscribers(props: { reported: SubscribersAnswer; serving: number; nowMillis: number }) {
  const { reported, serving, nowMillis } = props;
  const { subscribers, problem } = reported;
  return (
    <Card title="Who serves what" id="subscribers">
      {problem !== '' && <Quiet>{problem}</Quiet>}
      {subscribers.length === 0 ? (
        problem === '' && <Quiet>Nobody reports to serve these models.</Quiet>
      ) : (
        <TableBox label="Processes that serve the models, by name">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Host</th>
              <th scope="col">Version</th>
              <th scope="col">Since</th>
              <th scope="col">Heard</th>
              <th scope="col">State</th>
              <th scope="col">Refused</th>
              <th scope="col">Last error</th>
            </tr>
          </thead>
          <tbody>
            {subscribers.map((each) => {
              const state = stateOf(each, serving);
              return (
                <tr key={each.name + '@' + each.alias}>
                  <th scope="row" class="nowrap">
                    {each.name}
                  </th>
                  <td class="nowrap">{each.host}</td>
                  <td class="nowrap">
                    {each.version > 0 ? 'v' + count(each.version) : 'none'}
                    {each.alias !== '' && <span class="quiet-line"> follows {each.alias}</span>}
                  </td>
                  <td class="nowrap" title={each.version > 0 ? dateTime(each.sinceMillis) : undefined}>
                    {each.version > 0 ? age((nowMillis - each.sinceMillis) / 1000) + ' ago' : ''}
                  </td>
                  <td class="nowrap">{age(each.ageMillis / 1000)} ago</td>
                  <td class="nowrap">
                    <Sign severity={state.severity} word={state.word} />
                  </td>
                  <td>{count(each.refused)}</td>
                  <td class="prose-cell">{each.lastError}</td>
                </tr>
              );
            })}
          </tbody>
        </TableBox>
      )}
      {reported.more && <Quiet>There are more, which are not shown.</Quiet>}
    </Card>
  );
}

/** How a subscriber fares, the worst first; one that follows a name may serve another version than the one in service. */
export function stateOf(subscriber: Subscriber, serving: number): { severity: Severity; word: string } {
  if (subscriber.silent) {
    return { severity: 'bad', word: 'Silent' };
  }
  if (subscriber.stale) {
    return { severity: 'bad', word: 'Stale for ' + age(subscriber.stalenessMillis / 1000) };
  }
  if (subscriber.version === 0) {
    return { severity: 'warn', word: 'No version' };
  }
  if (subscriber.lastError !== '') {
    return { severity: 'warn', word: 'Error' };
  }
  return subscriber.alias !== '' || subscriber.version === serving
    ? { severity: 'good', word: 'Serves' }
    : { severity: 'quiet', word: 'Other version' };
}
