import { Copy } from './copy.tsx';

export function CodeBlock({ name, text }: { name: string; text: string }) {
  return (
    <div class="card code-block grid">
      <Scroll class="lines" name={name} text={text} />
      <Copy text={text} label={`Copy: ${name.toLowerCase()}`} />
    </div>
  );
}

interface ScrollProps {
  readonly name: string;
  readonly text: string;
  readonly class: string;
  /** Whether its end is shown first. */
  readonly fromEnd?: boolean;
}

/** A text that may be longer than its place. It can be reached and scrolled by keyboard. */
export function Scroll({ name, text, class: named, fromEnd = false }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class={named} tabIndex={0} aria-label={name} ref={fromEnd ? toEnd : null}>
      <pre>{text}</pre>
    </section>
  );
}

function toEnd(box: HTMLElement | null): void {
  if (box) box.scrollTop = box.scrollHeight;
}
