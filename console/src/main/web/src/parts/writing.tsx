import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleStore } from '../store/console.ts';
import { Dialog } from './parts.tsx';

/** A request that changes something: what it will do, and how it is made. */
export interface Deed {
  title: string;
  explanation: ComponentChildren;
  button: string;
  /** asks for a reason and hands it on */
  reason?: boolean;
  run: (reason: string) => Promise<string>;
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
  const [reason, setReason] = useState('');
  const [said, setSaid] = useState<{ good: boolean; text: string } | null>(null);
  const close = () => setOpen(false);
  const run = async () => {
    setBusy(true);
    try {
      const text = await deed.run(reason);
      if (props.say) {
        props.say(text);
      } else {
        setSaid({ good: true, text });
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
          setReason('');
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
            <button type="button" class="accent" disabled={busy || (deed.reason && reason.trim() === '')} onClick={run}>
              {busy ? 'Asking\u2026' : deed.button}
            </button>
          }
        >
          <p>{deed.explanation}</p>
          {deed.reason && (
            <label class="field">
              Reason, kept with the pin
              <input
                type="text"
                maxLength={500}
                value={reason}
                onInput={(event) => setReason((event.target as HTMLInputElement).value)}
              />
            </label>
          )}
          {said && !said.good && <p class="said failed">{said.text}</p>}
        </Dialog>
      )}
    </span>
  );
}
