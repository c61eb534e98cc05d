import type { Shape, Tone } from '../../model/status.ts';

/** The parts of each shape, circles by their radius and paths, with their classes. */
const shapes: Readonly<Record<Shape, ReadonlyArray<readonly [drawn: number | string, named: string]>>> = {
  check: [
    [7, 'fill'],
    ['m5 8.2 2.1 2.1L11 6.2', 'cut'],
  ],
  cross: [
    ['M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z', 'fill'],
    ['m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8', 'cut'],
  ],
  alert: [
    ['M8 1.2 15.2 14H.8z', 'fill round'],
    ['M8 5.8v3.6m0 2.1v.1', 'cut'],
  ],
  ring: [
    [6, 'track'],
    ['M8 2a6 6 0 0 1 6 6', 'line'],
  ],
  dots: [[6, 'line dashed']],
  pause: [
    [6.2, 'line'],
    ['M6.4 5.8v4.4m3.2-4.4v4.4', 'line'],
  ],
  clock: [
    [6.2, 'line'],
    ['M8 4.6V8l2.2 1.6', 'line'],
  ],
  skip: [
    [6.2, 'line'],
    ['m3.8 12.2 8.4-8.4', 'line'],
  ],
  copy: [['M5.5 5.5V2h8.5v8.5h-3.5M2 5.5h8.5V14H2z', 'line round']],
  next: [['m3 3.5 4.5 4.5L3 12.5m5.5-9L13 8l-4.5 4.5', 'line round']],
  stop: [
    [6.2, 'line'],
    ['M5.8 5.8h4.4v4.4H5.8z', 'line round'],
  ],
  dot: [[4, 'fill']],
};

/** Status icon; readable without colour. The label is next to it. */
export function Mark({ shape, tone, size = 16 }: { shape: Shape; tone: Tone; size?: number }) {
  return (
    <svg class={`mark ${tone}`} data-shape={shape} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[shape].map(([drawn, named]) =>
        typeof drawn === 'number' ? <circle cx="8" cy="8" r={drawn} class={named} /> : <path d={drawn} class={named} />,
      )}
    </svg>
  );
}

const glyphs = {
  branch: 'M4.5 2v8m0 0a2 2 0 1 0 0 4 2 2 0 0 0 0-4Zm7-4a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0 0c0 3-3 3.5-5.2 4.4',
  commit: 'M1 8h4m6 0h4m-4 0a3 3 0 1 1-6 0 3 3 0 0 1 6 0Z',
  open: 'M6.5 3H3v10h10V9.5M9.5 2.5h4v4m0-4L7.5 8.5',
  copy: 'M5.5 5.5V2h8.5v8.5h-3.5M2 5.5h8.5V14H2z',
  check: 'm3 8.5 3.2 3.2L13 5',
  back: 'M9.5 3 4.5 8l5 5',
  help: 'M6 6a2 2 0 1 1 2.7 1.9c-.5.2-.7.5-.7 1v.4m0 2.3v.1M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0Z',
  out: 'M6.5 2H2.5v12h4M10.5 5l3 3-3 3m3-3h-7',
  close: 'm4 4 8 8m0-8-8 8',
} as const;

/** A small picture beside words, or in a button that has a name. */
export function Glyph({ name, size = 16 }: { name: keyof typeof glyphs; size?: number }) {
  return (
    <svg class="glyph" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={glyphs[name]} />
    </svg>
  );
}

export function Branch({ name }: { name: string }) {
  return (
    <span class="code flow muted ref">
      <Glyph name="branch" size={14} />
      <span class="visually-hidden">Branch </span>
      <span class="ellipsis">{name}</span>
    </span>
  );
}

export function Brand() {
  return (
    <svg class="brand-mark" width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M16 6.5v11m0 0a4.6 4.6 0 1 1-4.6 4.6" class="hook" />
      <path d="m11.2 11.3 4.8-4.8 4.8 4.8" class="arrow" />
    </svg>
  );
}
