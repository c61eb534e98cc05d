import { Copy } from './copy.tsx';
import { Scroll } from './scroll.tsx';

/** Lines to copy. */
export function CodeBlock({ name, text }: { name: string; text: string }) {
  return (
    <div class="card code-block">
      <Scroll class="lines" name={name} text={text} />
      <Copy text={text} label={`Copy: ${name.toLowerCase()}`} />
    </div>
  );
}
