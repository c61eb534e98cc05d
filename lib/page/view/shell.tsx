import { useEffect, useRef } from 'preact/hooks';
import { idOf, numberOf } from '../../client/entry.ts';
import { hashOf, type Route } from '../model/route.ts';
import type { Tone } from '../model/status.ts';
import { SLOW_CHECK_MS } from '../service/live.ts';
import { useStore } from '../service/store.ts';
import { useWorkspace } from '../service/workspace.ts';
import { AppView } from './apps/app.tsx';
import { Apps } from './apps/apps.tsx';
import { Connect } from './connect/connect.tsx';
import { Deploy } from './deploy/deploy.tsx';
import { Deploys } from './deploys/deploys.tsx';
import { NewApp } from './new/new-app.tsx';
import { Palette } from './palette.tsx';
import { Brand, Glyph } from './parts/icons.tsx';
import { Link } from './parts/link.tsx';
import { Settings } from './settings/settings.tsx';

const TABS = [
  { view: 'deploys', label: 'Deploys' },
  { view: 'apps', label: 'Applications' },
  { view: 'connect', label: 'Connect' },
  { view: 'settings', label: 'Settings' },
] as const;

/** The frame of all views: where one is, whether changes arrive, and who is signed in. */
export function Shell({ route }: { route: Route }) {
  const { signOut } = useWorkspace();
  const main = useRef<HTMLElement>(null);
  const where = hashOf({ ...route, query: {} });
  const first = useRef(where);
  useEffect(() => {
    if (first.current === where) return;
    first.current = where;
    window.scrollTo(0, 0);
    // A screen reader begins to read the new view, unless a field of it has been chosen.
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, [where]);
  const tab = { deploy: 'deploys', app: 'apps', new: 'apps' }[route.view as 'deploy' | 'app' | 'new'] ?? route.view;
  return (
    <>
      <button type="button" class="skip-link" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <Link class="brand flow" to={{ view: 'deploys' }}>
          <Brand />
          <span class="ellipsis">{route.user}</span>
          <span class="visually-hidden">, all deploys</span>
        </Link>
        <nav aria-label="Views">
          {TABS.map(({ view, label }) => (
            <a href={hashOf({ user: route.user, view })} aria-current={view === tab ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <div class="bar-end flow">
          <Connected />
          <button type="button" class="quiet" aria-label="Sign out" onClick={signOut}>
            <Glyph name="out" />
            <span class="wide">Sign out</span>
          </button>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Lacking />
        <View route={route} />
      </main>
      <Notice />
      <Palette />
    </>
  );
}

/** Says what applications lack on the service's machine. */
function Lacking() {
  const { notice } = useStore(useWorkspace().log);
  return notice === undefined ? null : <p class="faint hint note">{notice}</p>;
}

function View({ route }: { route: Route }) {
  switch (route.view) {
    case 'deploy':
      return <Deploy key={route.name} id={route.name} />;
    case 'apps':
      return <Apps />;
    case 'app':
      return <AppView key={route.name} name={route.name} show={route.query.show ?? ''} />;
    case 'new':
      return <NewApp />;
    case 'connect':
      return <Connect key={route.query.repository} query={route.query} />;
    case 'settings':
      return <Settings />;
    default:
      return <Deploys query={route.query} />;
  }
}

const words = { live: 'Live', connecting: 'Connecting', slow: `Every ${SLOW_CHECK_MS / 1000} s`, offline: 'Offline' };

const tones = { live: 'good', connecting: 'wait', slow: 'wait', offline: 'bad' } satisfies Record<string, Tone>;

const titles = {
  live: 'Changes are shown as they happen.',
  connecting: 'Changes may be shown late.',
  slow: 'Too many streams are open, or the network lets none through: changes are asked for instead.',
  offline: 'There is no network.',
};

function Connected() {
  const state = useStore(useWorkspace().connection);
  return (
    <span class={`connected flow muted note ${state}`} role="status" title={titles[state]}>
      <span class={`dot ${tones[state]}`} aria-hidden="true" />
      {words[state]}
    </span>
  );
}

const NOTICE_MS = 6000;

/** Says for a while that an operation was accepted. */
function Notice() {
  const { accepted } = useWorkspace();
  const entry = useStore(accepted);
  useEffect(() => {
    if (!entry) return;
    const timer = setTimeout(() => accepted.set(null), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [entry]);
  return (
    <div class="notices" role="status">
      {entry && (
        <p class="flow notice">
          Accepted: <Link to={{ view: 'deploy', name: idOf(entry) }}>#{numberOf(entry)}</Link>
          <button type="button" class="quiet icon-only" aria-label="Dismiss" onClick={() => accepted.set(null)}>
            <Glyph name="close" />
          </button>
        </p>
      )}
    </div>
  );
}
