import { appendRequest, blankDraft } from '../core/entry/draft.ts';
import { maskedDetail, maskedTail } from '../core/entry/mask.ts';
import { SERVICE } from '../core/entry/providers.ts';
import type { Incident } from '../core/ports/app-event.ts';
import type { AppFacts } from '../core/ports/facts.ts';
import type { DeployLog, Draft } from '../core/ports/log.ts';
import type { Clock, Ids } from '../core/ports/system.ts';

export interface IncidentPorts {
  readonly log: Pick<DeployLog, 'append' | 'read' | 'move'>;
  readonly appFacts: Pick<AppFacts, 'named'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
}

/** Records an incident in an entry of its own, `crashed`, which is `ok` when it is over. A second call changes nothing. */
export async function applyIncident(incident: Incident, ports: IncidentPorts): Promise<void> {
  const { user, about, first, seq } = incident;
  const changes = { ...changesOf(incident), updatedAt: ports.clock.now(), appEvent: seq };
  const draft = { ...(await draftOf(incident, ports)), ...changes };
  const told = await ports.log.append(appendRequest(draft, { about }, { deliveryKey: `incident ${first}` }));
  if ('entry' in told) return;
  await ports.log.move(user, told.duplicateOf, ({ appEvent = 0 }) => (seq <= appEvent ? null : { changes }));
}

function changesOf({ state, reason, log }: Incident) {
  const told = maskedDetail(reason ?? '');
  if (state === 'running') return { status: 'ok', reason: null, message: told, logTail: [] } as const;
  return { status: 'crashed', reason: told, message: null, logTail: maskedTail(log) } as const;
}

/** With the commit that its application runs. */
async function draftOf({ user, app }: Incident, { log, appFacts, clock, ids }: IncidentPorts): Promise<Draft> {
  const known = app === null ? null : await appFacts.named(user, app);
  const active = known?.active ? await log.read(user, known.active) : null;
  const at = clock.now();
  return blankDraft({
    user,
    uuid: ids.uuid(),
    base: active?.base ?? '',
    provider: SERVICE,
    kind: 'operation',
    operation: 'incident',
    stage: 'start',
    receivedAt: at,
    finishedAt: at,
    appName: known?.name ?? app,
    ...(active && { repository: active.repository, sha: active.sha, branch: active.branch }),
  });
}
