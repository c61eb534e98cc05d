import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Action, useAction } from '../../service/use-action.ts';
import { Alert } from './alert.tsx';

interface ActProps {
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly work: () => Promise<unknown>;
}

/** A button that does its work at once, and says why that has failed. */
export function Act({ children, class: named, work }: ActProps) {
  const { isBusy, failure, run } = useAction();
  return (
    <>
      <button type="button" class={named} disabled={isBusy} onClick={() => void run(work)}>
        {children}
      </button>
      <Alert text={failure} />
    </>
  );
}

interface Question {
  readonly title: string;
  /** The effect of the action, shown before it. */
  readonly effect: string;
  /** The word on the button that confirms: `Remove`. */
  readonly verb: string;
  /** The word on the button that leaves all as it is. */
  readonly dismiss?: string;
  readonly isDangerous?: boolean;
}

interface AskProps extends Question {
  /** The words on the button that asks. */
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly work: () => Promise<unknown>;
}

/** A button whose work is confirmed before it is done. */
export function Ask({ children, class: size, work, ...question }: AskProps) {
  const [asks, setAsks] = useState(false);
  const action = useAction();
  const close = () => setAsks(false);
  const confirm = () => void action.run(() => work().then(close));
  const named = [size, question.isDangerous && 'bad'].filter(Boolean).join(' ');
  return (
    <>
      <button type="button" class={named} onClick={() => setAsks(true)}>
        {children}
      </button>
      {asks && <Confirm {...question} action={action} onConfirm={confirm} onClose={close} />}
    </>
  );
}

interface DropProps extends Pick<Question, 'effect' | 'verb'> {
  /** What the line shows. */
  readonly what: string;
  readonly work: () => Promise<unknown>;
}

/** The button of a line that ends what the line shows, after a question. */
export function Drop({ what, verb, effect, work }: DropProps) {
  return (
    <Ask title={`${verb} ${what}?`} effect={effect} verb={verb} isDangerous class="small" work={work}>
      {verb}
      <span class="visually-hidden"> {what}</span>
    </Ask>
  );
}

interface ConfirmProps extends Question {
  readonly action: Action;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function Confirm(props: ConfirmProps) {
  const { title, effect, verb, dismiss = 'Cancel', isDangerous, action, onConfirm, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={onClose}>
      <h2 id="question">{title}</h2>
      <div class="muted">{effect}</div>
      <Alert text={action.failure} />
      <div class="buttons">
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
