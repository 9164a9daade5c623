import type { ReportedSubscribers, Subscriber } from '../api/types.ts';
import { age, dateTime } from '../format/time.ts';
import { Card, Num, Quiet, Sign, TableBox } from '../parts/parts.tsx';
import type { Severity } from '../store/verdicts.ts';

const STALE = 'Stale';

/** The processes that serve the models, as they report themselves. */
export function Subscribers(props: { reported: ReportedSubscribers; serving: number; nowMillis: number; of: string }) {
  const { reported, serving, nowMillis, of } = props;
  const { subscribers, problem } = reported;
  return (
    <Card title="Who serves what" id="subscribers">
      {problem !== '' && <Quiet>{problem}</Quiet>}
      {subscribers.length === 0 ? (
        problem === '' && <Quiet>No subscriber reports that it serves these models.</Quiet>
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
              const path = 'subscribers.' + each.name + '.';
              return (
                <tr key={each.name + '@' + each.alias}>
                  <th scope="row" class="nowrap">
                    {each.name}
                  </th>
                  <td class="nowrap">{each.host}</td>
                  <td class="nowrap">
                    {each.version > 0 ? (
                      <>
                        v<Num value={each.version} path={path + 'version'} of={of} />
                      </>
                    ) : (
                      'none'
                    )}
                    {each.alias !== '' && <span class="quiet-line"> follows {each.alias}</span>}
                  </td>
                  <td class="nowrap" title={each.version > 0 ? dateTime(each.sinceMillis) : undefined}>
                    {each.version > 0 && (
                      <>
                        <Num
                          value={each.sinceMillis}
                          format={() => age((nowMillis - each.sinceMillis) / 1000)}
                          path={path + 'sinceMillis'}
                          of={of}
                        />{' '}
                        ago
                      </>
                    )}
                  </td>
                  <td class="nowrap">
                    <Num value={each.ageMillis} format={ageOf} path={path + 'ageMillis'} of={of} /> ago
                  </td>
                  <td class="nowrap">
                    <Sign
                      severity={state.severity}
                      word={
                        state.word !== STALE ? (
                          state.word
                        ) : (
                          <>
                            {STALE} for{' '}
                            <Num value={each.stalenessMillis} format={ageOf} path={path + 'stalenessMillis'} of={of} />
                          </>
                        )
                      }
                    />
                  </td>
                  <td>
                    <Num value={each.refused} path={path + 'refused'} of={of} />
                  </td>
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

function ageOf(millis: number | null | undefined): string {
  return age(typeof millis === 'number' ? millis / 1000 : millis);
}

/** How a subscriber fares, the worst first; one that follows a name may serve another version than the one in service. */
export function stateOf(subscriber: Subscriber, serving: number): { severity: Severity; word: string } {
  if (subscriber.silent) {
    return { severity: 'bad', word: 'Silent' };
  }
  if (subscriber.stale) {
    return { severity: 'bad', word: STALE };
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
