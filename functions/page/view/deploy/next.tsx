import { useState } from 'preact/hooks';
import type { Application } from '../../../../lib/client/applications.ts';
import { type Entry, hasEnded, idOf, numberOf } from '../../../../lib/client/entry.ts';
import { safeUrl } from '../../model/links.ts';
import { hashOf } from '../../model/route.ts';
import { useStore } from '../../service/store.ts';
import { useAction, useOperation } from '../../service/use-action.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Open } from '../parts/open.tsx';

/** The operations that are possible after a deploy. */
export function Next({ entry }: { entry: Entry }) {
  const { apps } = useWorkspace();
  const app = useStore(apps)?.find(({ name }) => name === entry.app_name) ?? null;
  const url = app?.active && idOf(app.active) === idOf(entry) ? safeUrl(entry.url) : null;
  return (
    <div class="buttons next">
      <Open url={url} />
      {entry.status === 'held' && <Release entry={entry} />}
      {!hasEnded(entry) && <Cancel entry={entry} />}
      {app && canRedeploy(entry) && <Redeploy entry={entry} app={app} />}
      {app && <RollBack entry={entry} app={app} />}
    </div>
  );
}

/** A skipped commit was not meant to be deployed; a stop or a removal is no deploy. */
function canRedeploy(entry: Entry): boolean {
  return hasEnded(entry) && entry.operation === undefined && !['skipped', 'duplicate'].includes(entry.status);
}

function Release({ entry }: { entry: Entry }) {
  const { api, add } = useWorkspace();
  const action = useAction();
  const path = ['status', api.user, 'changes', idOf(entry), 'release'];
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={action.isBusy}
        onClick={() => action.run(async () => add(await api.call<Entry>({ method: 'POST', path })))}
      >
        Deploy without waiting
      </button>
      <Alert text={action.failure} />
    </>
  );
}

/** Ends a deploy that is unfinished, after a question. */
export function Cancel({ entry }: { entry: Entry }) {
  const [asks, setAsks] = useState(false);
  const action = useAction();
  const { api, add } = useWorkspace();
  const path = ['status', api.user, 'changes', idOf(entry), 'cancel'];
  return (
    <>
      <button type="button" onClick={() => setAsks(true)}>
        Cancel
      </button>
      {asks && (
        <Confirm
          title={`Cancel #${numberOf(entry)}?`}
          verb="Cancel the deploy"
          dismiss="Keep it"
          action={action}
          onConfirm={() => action.run(async () => add(await api.call<Entry>({ method: 'POST', path })))}
          onClose={() => setAsks(false)}
        >
          It ends with its build. What is live stays live.
        </Confirm>
      )}
    </>
  );
}

function Redeploy({ entry, app }: { entry: Entry; app: Application }) {
  const action = useAction();
  const operate = useOperation();
  const { api } = useWorkspace();
  const sha = entry.commit?.slice(entry.commit.lastIndexOf('/') + 1) ?? '';
  if (!/^[0-9a-f]{40,64}$/.test(sha)) return null;
  const redeploy = () =>
    action.run(async () => {
      const made = await operate(app.name, 'deploy', { ref: sha });
      location.hash = hashOf({ user: api.user, view: 'deploy', name: idOf(made) });
    });
  return (
    <>
      <button type="button" disabled={action.isBusy} onClick={redeploy}>
        Deploy this commit again
      </button>
      <Alert text={action.failure} />
    </>
  );
}

/** Rolls back to this deploy, or away from it if it is live. */
function RollBack({ entry, app }: { entry: Entry; app: Application }) {
  const [asks, setAsks] = useState(false);
  const action = useAction();
  const operate = useOperation();
  const { api } = useWorkspace();
  const isCurrent = app.active !== null && idOf(app.active) === idOf(entry);
  const target = isCurrent ? app.rollback[0] : app.rollback.find((one) => idOf(one) === idOf(entry));
  if (!target) return null;
  const confirm = () =>
    action.run(async () => {
      const made = await operate(app.name, 'rollback', { to: idOf(target) });
      location.hash = hashOf({ user: api.user, view: 'deploy', name: idOf(made) });
    });
  const where = isCurrent ? `Roll back to #${numberOf(target)}` : 'Roll back to this deploy';
  return (
    <>
      <button type="button" onClick={() => setAsks(true)}>
        {where}
      </button>
      {asks && (
        <Confirm
          title={`Roll ${app.name} back to #${numberOf(target)}?`}
          verb="Roll back"
          action={action}
          onConfirm={confirm}
          onClose={() => setAsks(false)}
        >
          It starts the snapshot of that deploy again; the repository stays as it is. The next push deploys as usual.
        </Confirm>
      )}
    </>
  );
}
