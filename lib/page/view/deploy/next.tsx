import type { Application } from '../../../client/applications.ts';
import { type Entry, hasEnded, idOf, numberOf, shaOf } from '../../../client/entry.ts';
import { safeUrl } from '../../model/links.ts';
import { hashOf } from '../../model/route.ts';
import { useStore } from '../../service/store.ts';
import { useOperation } from '../../service/use-action.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Act, Ask } from '../parts/ask.tsx';
import { Open } from '../parts/link.tsx';

export function Next({ entry }: { entry: Entry }) {
  const { api, add, apps } = useWorkspace();
  const operate = useFollowed();
  const all = useStore(apps) ?? [];
  const app = all.find(({ name }) => name === entry.app_name) ?? null;
  // By another name, if the application has been renamed since.
  const keeper = all.find(({ rollback }) => rollback.some((one) => idOf(one) === idOf(entry)));
  const isCurrent = app?.active ? idOf(app.active) === idOf(entry) : false;
  const url = isCurrent ? safeUrl(entry.url) : null;
  const sha = canRedeploy(entry) ? shaOf(entry) : null;
  const path = ['status', api.user, 'changes', idOf(entry), 'release'];
  return (
    <div class="buttons next">
      <Open url={url} />
      {entry.status === 'held' && (
        <Act class="primary" work={() => api.call<Entry>({ method: 'POST', path }).then(add)}>
          Deploy without waiting
        </Act>
      )}
      {!hasEnded(entry) && <Cancel entry={entry} />}
      {app && sha && <Act work={() => operate(app.name, 'deploy', { ref: sha })}>Deploy this commit again</Act>}
      {app && isCurrent && <RollBack app={app} to={app.rollback[0]} operate={operate} />}
      {keeper && (
        <RollBack app={keeper} to={entry} operate={operate}>
          Roll back to this deploy
        </RollBack>
      )}
    </div>
  );
}

/** A skipped commit was not meant to be deployed; a stop or a removal is no deploy. */
function canRedeploy(entry: Entry): boolean {
  return hasEnded(entry) && entry.operation === undefined && !['skipped', 'duplicate'].includes(entry.status);
}

/** Ends a deploy that is unfinished, after a question. */
export function Cancel({ entry }: { entry: Entry }) {
  const { api, add } = useWorkspace();
  const path = ['status', api.user, 'changes', idOf(entry), 'cancel'];
  return (
    <Ask
      title={`Cancel #${numberOf(entry)}?`}
      effect="It ends with its build. What is live stays live."
      verb="Cancel the deploy"
      dismiss="Keep it"
      work={() => api.call<Entry>({ method: 'POST', path }).then(add)}
    >
      Cancel
    </Ask>
  );
}

/** Returns a function that deploys something of an application, and shows that deploy. */
function useFollowed() {
  const operate = useOperation();
  const { user } = useWorkspace().api;
  return async (...operation: Parameters<typeof operate>) => {
    const made = await operate(...operation);
    location.hash = hashOf({ user, view: 'deploy', name: idOf(made) });
  };
}

interface RollBackProps {
  readonly app: Application;
  /** The deploy that is started again; nothing is shown without one. */
  readonly to: Entry | undefined;
  readonly operate: (...operation: Parameters<ReturnType<typeof useOperation>>) => Promise<unknown>;
  readonly children?: string;
}

/** Rolls an application back to a deploy, after a question that names it. */
export function RollBack({ app, to, operate, children }: RollBackProps) {
  if (!to) return null;
  const name = `#${numberOf(to)}`;
  const message = to.doc?.message;
  return (
    <Ask
      title={`Roll ${app.name} back to ${name}?`}
      effect={`It starts the snapshot of ${name}${message ? ` (${message})` : ''} again; the repository stays as it is. The next push deploys as usual.`}
      verb="Roll back"
      work={() => operate(app.name, 'rollback', { to: idOf(to) })}
    >
      {children ?? `Roll back to ${name}`}
    </Ask>
  );
}
