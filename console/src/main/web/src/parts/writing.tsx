import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleStore } from '../store/console.ts';
import { Dialog } from './parts.tsx';

export interface Question {
  label: string;
  maxLength: number;
}

/** Why a person pins a version. */
export const REASON: Question = { label: 'Reason, kept with the pin', maxLength: 500 };

/** A request that changes something: what it will do, and how it is made. */
export interface Deed {
  title: string;
  explanation: ComponentChildren;
  button: string;
  /** asks for a text and hands it on */
  asks?: Question;
  run: (text: string) => Promise<string>;
}

/** A button that asks to confirm, does it, and says what the server answered. Disabled without a token. */
export function DeedButton(props: {
  store: ConsoleStore;
  deed: Deed;
  label: string;
  describe?: string;
  class?: string;
  done?: () => void;
  /** takes what the server answered, instead of showing it beside the button */
  say?: (text: string) => void;
}) {
  const { store, deed } = props;
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState('');
  const [said, setSaid] = useState<{ good: boolean; text: string } | null>(null);
  const close = () => setOpen(false);
  const run = async () => {
    setBusy(true);
    try {
      const answer = await deed.run(text.trim());
      if (props.say) {
        props.say(answer);
      } else {
        setSaid({ good: true, text: answer });
      }
      setOpen(false);
      props.done?.();
    } catch (failed) {
      setSaid({ good: false, text: (failed as Error).message });
    } finally {
      setBusy(false);
    }
  };
  const writable = store.writable();
  if (store.link.state === 'recorded') {
    return null;
  }
  return (
    <span class="deed">
      <button
        type="button"
        class={props.class ?? ''}
        disabled={!writable}
        title={writable ? undefined : 'Read-only: enter the token first'}
        aria-label={props.describe}
        onClick={() => {
          setSaid(null);
          setText('');
          setOpen(true);
        }}
      >
        {props.label}
      </button>
      <span class={'said' + (said && !said.good ? ' failed' : '')} role="status">
        {!open && said ? said.text : ''}
      </span>
      {open && (
        <Dialog
          title={deed.title}
          close={close}
          actions={
            <button type="button" class="accent" disabled={busy || (deed.asks && text.trim() === '')} onClick={run}>
              {busy ? 'Asking\u2026' : deed.button}
            </button>
          }
        >
          <p>{deed.explanation}</p>
          {deed.asks && (
            <label class="field">
              {deed.asks.label}
              <input
                type="text"
                maxLength={deed.asks.maxLength}
                value={text}
                onInput={(event) => setText((event.target as HTMLInputElement).value)}
              />
            </label>
          )}
          {said && !said.good && <p class="said failed">{said.text}</p>}
        </Dialog>
      )}
    </span>
  );
}
