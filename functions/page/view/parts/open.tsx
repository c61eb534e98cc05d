import { Glyph } from './icons.tsx';

/** The link to a running application; nothing without an address. */
export function Open({ url }: { url: string | null }) {
  if (!url) return null;
  return (
    <a class="button primary" href={url} target="_blank" rel="noopener noreferrer">
      Open
      <Glyph name="open" size={14} />
    </a>
  );
}
