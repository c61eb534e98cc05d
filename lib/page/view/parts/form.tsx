import type { ComponentChildren, ComponentProps } from 'preact';
import type { Action } from '../../service/use-action.ts';
import { Alert } from './alert.tsx';

type Attribute =
  | ('name' | 'value' | 'defaultValue' | 'placeholder' | 'pattern' | 'required')
  | ('autocomplete' | 'autofocus' | 'aria-label' | 'aria-describedby' | 'onPaste');

interface InputProps extends Pick<ComponentProps<'input'>, Attribute> {
  readonly type?: 'password';
  /** Gets the text, without spaces around it, as it is typed. */
  readonly onText?: (text: string) => void;
}

/** A field for a name or an address, which no browser corrects. */
export function Input({ onText, ...more }: InputProps) {
  return (
    <input
      spellcheck={false}
      autocapitalize="none"
      {...more}
      {...(onText && { onInput: ({ currentTarget }) => onText(currentTarget.value.trim()) })}
    />
  );
}

/** A field below its label. */
export function Field({ label, ...more }: InputProps & { readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: its control is the input of the component.
    <label>
      {label}
      <Input {...more} />
    </label>
  );
}

interface SwitchProps {
  readonly is: boolean;
  readonly onSwitch: (is: boolean) => void;
  readonly children: ComponentChildren;
  /** Says what it does. */
  readonly about: string;
}

export function Switch({ is, onSwitch, children, about }: SwitchProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={is} onChange={({ currentTarget }) => onSwitch(currentTarget.checked)} />
      <span>
        {children}
        <small>{about}</small>
      </span>
    </label>
  );
}

interface LineFormProps {
  readonly form: { readonly action: Action; readonly submit: (event: SubmitEvent) => void };
  /** The fields, one for each column of the line. */
  readonly children: ComponentChildren;
  /** What is on the button that submits. */
  readonly verb: ComponentChildren;
  /** The buttons after it. */
  readonly more?: ComponentChildren;
  readonly class?: string;
  readonly isDisabled?: boolean;
}

/** A line of a table that is a form, which says why it failed. */
export function LineForm({
  form: { action, submit },
  children,
  verb,
  more,
  class: named = '',
  isDisabled,
}: LineFormProps) {
  return (
    <form class={`grid line ${named}`} onSubmit={submit}>
      {children}
      <span class="buttons">
        <button type="submit" class="small" disabled={action.isBusy || isDisabled}>
          {verb}
        </button>
        {more}
      </span>
      <Alert text={action.failure} />
    </form>
  );
}
