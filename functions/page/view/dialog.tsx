import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Action } from '../service/actions.ts';
import { Alert } from './alert.tsx';

interface ConfirmProps {
  readonly title: string;
  /** The effect of the action, shown before it. */
  readonly children: ComponentChildren;
  /** The word on the button: `Remove`. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly action: Action;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** A question that is asked before something is done. */
export function Confirm({ title, children, verb, isDangerous, action, onConfirm, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={onClose}>
      <h2 id="question">{title}</h2>
      <div class="muted">{children}</div>
      <Alert text={action.failure} />
      <div class="buttons end">
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class={isDangerous ? 'danger' : 'primary'} disabled={action.isBusy} onClick={onConfirm}>
          {verb}
        </button>
      </div>
    </dialog>
  );
}
