import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Action } from '../../service/use-action.ts';
import { Alert } from './alert.tsx';

interface ConfirmProps {
  readonly title: string;
  /** The effect of the action, shown before it. */
  readonly children: ComponentChildren;
  /** The word on the button: `Remove`. */
  readonly verb: string;
  /** The word on the button that leaves all as it is. */
  readonly dismiss?: string;
  readonly isDangerous?: boolean;
  readonly action: Action;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** A question that is asked before something is done. */
export function Confirm(props: ConfirmProps) {
  const { title, children, verb, dismiss = 'Cancel', isDangerous, action, onConfirm, onClose } = props;
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
          {dismiss}
        </button>
        <button type="button" class={isDangerous ? 'danger' : 'primary'} disabled={action.isBusy} onClick={onConfirm}>
          {verb}
        </button>
      </div>
    </dialog>
  );
}
