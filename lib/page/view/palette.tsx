import { useEffect, useRef, useState } from 'preact/hooks';
import { placesWith } from '../model/find.ts';
import { hashOf } from '../model/route.ts';
import { useStore } from '../service/store.ts';
import { useReading } from '../service/use-reading.ts';
import { useWorkspace } from '../service/workspace.ts';
import { Link } from './parts/link.tsx';

/** What the key `/` opens, outside of fields: it finds applications, deploys and commands. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const isElsewhere = target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
      if (key !== '/' || ctrlKey || metaKey || altKey || isElsewhere) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return isOpen ? <Finder onClose={() => setOpen(false)} /> : null;
}

function Finder({ onClose }: { readonly onClose: () => void }) {
  const { api, apps, log, refreshApps, loadMore } = useWorkspace();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useReading(async () => {
    await refreshApps();
    if (!log.value.extents.has('')) await loadMore('');
  });
  const found = placesWith(text, useStore(apps) ?? [], useStore(log).ordered);
  const [first] = found;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const stops: (Element | null)[] = [...(dialog.current?.querySelectorAll('input, a') ?? [])];
    const next = stops[stops.indexOf(document.activeElement) + step];
    if (next instanceof HTMLElement) next.focus();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Find" onClose={onClose} onKeyDown={move} onClick={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (first) location.hash = hashOf({ ...first.to, user: api.user });
          if (first) onClose();
        }}
      >
        <input
          type="search"
          aria-label="Find applications, deploys and commands"
          placeholder="Application, deploy, commit or command"
          value={text}
          onClick={(event) => event.stopPropagation()}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
      <ul>
        {found.map(({ to, label, kind }) => (
          <li key={`${kind} ${label}`}>
            <Link class="flow split" to={to}>
              <span class="ellipsis">{label}</span>
              <span class="faint note">{kind}</span>
            </Link>
          </li>
        ))}
      </ul>
      <p class="visually-hidden" role="status">
        {found.length === 0 ? 'Nothing has that in its words.' : `${found.length} found`}
      </p>
      {found.length === 0 && <p class="muted">Nothing has that in its words.</p>}
    </dialog>
  );
}
