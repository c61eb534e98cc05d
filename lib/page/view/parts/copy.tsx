import { useState } from 'preact/hooks';
import { Glyph } from './icons.tsx';

const SHOWN_MS = 1600;

export function Copy({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    // Without a secure context there is no clipboard.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setSaid(copied ? 'Copied' : 'Select it and copy');
    setTimeout(() => setSaid(''), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class={`quiet icon-only copy${said === 'Copied' ? ' done' : ''}`}
      onClick={copy}
      title={label}
    >
      <Glyph name={said === 'Copied' ? 'check' : 'copy'} />
      <span class="visually-hidden">{label}</span>
      <span class="visually-hidden" role="status">
        {said}
      </span>
    </button>
  );
}
