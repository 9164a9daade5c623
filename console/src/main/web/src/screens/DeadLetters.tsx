import { useEffect, useState } from 'preact/hooks';
import type { View } from './view.ts';
import type { DeadLetter, DeadLetterPage } from '../api/types.ts';
import { bytes } from '../format/number.ts';
import { dateTime } from '../format/time.ts';
import { Card, Dialog, Num, Quiet, TableBox, TextWithNumbers } from '../parts/parts.tsx';
import { countedText } from '../store/textParts.ts';

const ASK_EVERY_MILLIS = 10_000;
const SHOWN = 25;
const REASON_LENGTH = 80;

/** A kind of reason: letters whose reasons differ only in quoted text and numbers. */
export interface Kind {
  key: string;
  /** the reason itself if all letters have the same, otherwise without what differs */
  words: string;
  count: number;
}

/** Kinds of reasons with their counts, most frequent first. */
export function byReason(letters: DeadLetter[]): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const { reason } of letters) {
    const key = generalized(reason);
    const kind = kinds.get(key);
    if (kind) {
      kind.count++;
      kind.words = kind.words === reason ? reason : key;
    } else {
      kinds.set(key, { key, words: reason, count: 1 });
    }
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count);
}

/** A reason without what differs from letter to letter: quoted text and numbers. */
export function generalized(reason: string): string {
  return reason
    .replace(/'[^']*'|"[^"]*"/g, '\u2026')
    .replace(/\d[\d,.]*/g, 'N')
    .slice(0, REASON_LENGTH * 2);
}

export function DeadLetters({ store, learner }: View) {
  const { application } = learner;
  const of = learner.key;
  const [answer, setAnswer] = useState<DeadLetterPage | null>(null);
  const [problem, setProblem] = useState('');
  const [reason, setReason] = useState<string | null>(null);
  const [edited, setEdited] = useState<DeadLetter | null>(null);
  const [said, setSaid] = useState('');
  const recorded = store.link.state === 'recorded' || store.info === null || store.info.source === 'recording';
  const ask = async () => {
    try {
      setAnswer(await store.client.deadLetters(application));
      setProblem('');
    } catch (failed) {
      setProblem((failed as Error).message);
    }
  };
  useEffect(() => {
    setAnswer(null);
    setReason(null);
    setSaid('');
    if (recorded) {
      return;
    }
    void ask();
    const timer = setInterval(() => void ask(), ASK_EVERY_MILLIS);
    return () => clearInterval(timer);
  }, [application, recorded]);
  if (recorded) {
    return (
      <Card title="By reason" id="reasons">
        <Quiet>
          What is recorded has no dead letters, only their numbers:{' '}
          <Num value={learner.status.samples.malformed} path="samples.malformed" of={of} /> malformed events and{' '}
          <Num value={learner.status.input.refusedControls} path="input.refusedControls" of={of} /> refused requests.
        </Quiet>
      </Card>
    );
  }
  const trouble = problem || answer?.problem || '';
  const letters = answer?.letters ?? [];
  const reasons = byReason(letters);
  const kind = reasons.findIndex((each) => each.key === reason);
  const shown = letters.filter((letter) => reason === null || generalized(letter.reason) === reason).slice(0, SHOWN);
  return (
    <>
      {trouble !== '' && (
        <p class="problem" role="alert">
          {trouble}
        </p>
      )}
      <Card
        title="By reason"
        id="reasons"
        aside={
          answer && (
            <TextWithNumbers
              words={[...countedText({ value: answer.total, path: 'letters.total' }, 'dead letter'), ' in all']}
              of={of}
            />
          )
        }
      >
        {!answer ? (
          <div class="skeleton" />
        ) : letters.length === 0 ? (
          <Quiet>
            No dead letter of {application} is known: every event could be decoded, and every request was valid.
          </Quiet>
        ) : (
          <ul class="reason-list">
            <li>
              <button type="button" aria-pressed={reason === null} onClick={() => setReason(null)}>
                All, the newest <Num value={letters.length} formula="count(letters.all.atMillis)" of={of} />
              </button>
            </li>
            {reasons.slice(0, 10).map((each, index) => (
              <li key={each.key}>
                <button
                  type="button"
                  aria-pressed={reason === each.key}
                  onClick={() => setReason(reason === each.key ? null : each.key)}
                >
                  <b>
                    <Num value={each.count} path={'letters.kinds.' + index} of={of} />
                  </b>{' '}
                  {each.words}
                </button>
              </li>
            ))}
          </ul>
        )}
        <Quiet>
          Malformed events of this learner, exactly:{' '}
          <Num value={learner.status.samples.malformed} path="samples.malformed" of={of} />. Refused requests:{' '}
          <Num value={learner.status.input.refusedControls} path="input.refusedControls" of={of} />.
        </Quiet>
      </Card>
      {letters.length > 0 && (
        <Card
          title="Letters, newest first"
          id="letters"
          aside={
            <span class="said" role="status">
              {said}
            </span>
          }
        >
          <TableBox label="Dead letters, newest first" class="letters">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Origin</th>
                <th scope="col">Reason</th>
                <th scope="col">Payload</th>
                <th scope="col">
                  <span class="hidden">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((letter) => (
                <tr key={letter.id}>
                  <td class="nowrap">
                    <Num
                      value={letter.atMillis}
                      format={dateTime}
                      path={'letters.' + letter.id + '.atMillis'}
                      of={of}
                    />
                  </td>
                  <td>
                    {letter.origin || 'not known'}
                    <small>
                      {letter.topic}{' '}
                      <Num value={letter.partition} path={'letters.' + letter.id + '.partition'} of={of} />, offset{' '}
                      <Num value={letter.offset} path={'letters.' + letter.id + '.offset'} of={of} />
                    </small>
                  </td>
                  <td class="prose-cell">{letter.reason}</td>
                  <td class="payload">
                    <code>{letter.text === '' ? '(empty)' : letter.text.slice(0, 300)}</code>
                    <small>
                      <Num value={letter.length} format={bytes} path={'letters.' + letter.id + '.length'} of={of} />
                      {letter.binary ? ', not text' : ''}
                      {letter.cut ? ', shown in part' : ''}
                    </small>
                  </td>
                  <td>
                    {letter.obstacle !== '' ? (
                      <small>Cannot be sent again: {letter.obstacle}.</small>
                    ) : (
                      <button
                        type="button"
                        disabled={!store.writable()}
                        title={store.writable() ? undefined : 'Read-only: enter the token first'}
                        onClick={() => setEdited(letter)}
                      >
                        Send again<span class="hidden"> letter {letter.id}</span>
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </TableBox>
          {letters.length > shown.length && (
            <Quiet>
              <Num
                value={shown.length}
                formula={
                  'min(' + SHOWN + ', ' + (kind < 0 ? 'count(letters.all.atMillis)' : 'letters.kinds.' + kind) + ')'
                }
                of={of}
              />{' '}
              are shown.
            </Quiet>
          )}
        </Card>
      )}
      {edited && (
        <Repair
          letter={edited}
          close={() => setEdited(null)}
          send={(text) => store.client.resend(application, edited.id, text)}
          sent={(message) => {
            setSaid(message);
            setEdited(null);
          }}
        />
      )}
    </>
  );
}

function Repair(props: {
  letter: DeadLetter;
  close: () => void;
  send: (text: string | undefined) => Promise<string>;
  sent: (message: string) => void;
}) {
  const { letter } = props;
  const fixed = letter.binary;
  const [text, setText] = useState(letter.text);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const send = async () => {
    setBusy(true);
    try {
      props.sent(await props.send(fixed || text === letter.text ? undefined : text));
    } catch (failed) {
      setProblem((failed as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Send the event again"
      close={props.close}
      wide
      actions={
        <button type="button" class="accent" disabled={busy} onClick={send}>
          {fixed || text === letter.text ? 'Send as it was' : 'Send the repaired event'}
        </button>
      }
    >
      <p>
        It was refused because: {letter.reason}. It goes to the input topic {letter.topic}.
      </p>
      {fixed ? (
        <Quiet>It is not text, so it can only be sent as it was.</Quiet>
      ) : (
        <label class="field">
          Event
          <textarea
            rows={8}
            spellcheck={false}
            value={text}
            onInput={(event) => setText((event.target as HTMLTextAreaElement).value)}
          />
        </label>
      )}
      {problem !== '' && (
        <p class="said failed" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
