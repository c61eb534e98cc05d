import { useState } from 'preact/hooks';
import { type Entry, idOf, numberOf } from '../../../client/entry.ts';
import { useStore } from '../../service/store.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { AppOutput, Output } from '../parts/output.tsx';

/** The output of the build, and of the application while it runs what this entry deployed. */
export function Logs({ entry }: { entry: Entry }) {
  const { api, apps } = useWorkspace();
  const app = useStore(apps)?.find(({ active }) => active && idOf(active) === idOf(entry));
  const builds = entry.operation === undefined && entry.doc?.stages.some(({ name }) => name === 'extract');
  const [chosen, setChosen] = useState<'build' | 'app' | null>(null);
  const tabs = [...(builds ? (['build'] as const) : []), ...(app ? (['app'] as const) : [])];
  const shown = chosen && tabs.includes(chosen) ? chosen : tabs[0];
  if (!shown) return null;
  const build = ['status', api.user, 'changes', idOf(entry), 'build-log'];
  return (
    <section aria-label="Logs">
      <div class="flow" role="tablist" aria-label="Logs">
        {tabs.map((tab) => (
          <button
            key={tab}
            type="button"
            class="quiet"
            role="tab"
            id={`tab-${tab}`}
            aria-selected={tab === shown}
            aria-controls="output"
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => setChosen(tab)}
            onKeyDown={({ key }) => {
              if (key === 'ArrowRight' || key === 'ArrowLeft') setChosen(tabs.find((one) => one !== shown) ?? shown);
            }}
          >
            {tab === 'build' ? 'Build log' : 'Application log'}
          </button>
        ))}
      </div>
      <div id="output" role="tabpanel" aria-labelledby={`tab-${shown}`}>
        {shown === 'build' ? (
          <Output
            key="build"
            path={build}
            name={`build-${numberOf(entry)}`}
            empty="There was nothing to install or to build."
          />
        ) : (
          <AppOutput key="app" app={app?.name ?? ''} />
        )}
      </div>
    </section>
  );
}
