import * as v from 'valibot';
import type * as core from '../../core/entry/entry.ts';
import type { Operation } from '../../core/entry/kinds.ts';
import { stages } from '../../core/pipeline/pipeline.ts';
import {
  about,
  count,
  integer,
  type Received,
  type Sent,
  text,
  textOrNull,
  time,
  timeOrNull,
  uri,
} from '../../core/schema.ts';
import { ErrorCode } from './problems.ts';

/** The meaning of each status; the compiler checks that none is missing. */
const statuses: Readonly<Record<core.Status, string>> = {
  queued: 'accepted, and waits for its first stage',
  running: 'is being deployed',
  held: 'waits for CI',
  ok: 'was deployed',
  crashed: 'was deployed and does not stay up; `ok` again when it answers again',
  error: 'failed: see `error`',
  expired: 'timed out waiting for CI',
  skipped: 'needed no deploy: see `reason`',
  duplicate: 'the same delivery again',
  superseded: 'replaced by a newer commit',
  cancelled: 'was ended by its user',
};

export const Status = about(
  Object.entries(statuses)
    .map(([status, meaning]) => `\`${status}\`: ${meaning}`)
    .join('; '),
  v.picklist(Object.keys(statuses) as core.Status[]),
);

const repository = {
  host: text,
  owner: text,
  name: text,
  id: v.exactOptional(about('The id that the host gives it, which a rename does not change.', text)),
};

export const RepositoryRef = about(
  'A repository; `path` is the folder of the application in it.',
  v.object({ ...repository, path: v.exactOptional(text) }),
);

export const Repository = about(
  'A repository, as its sender described it.',
  v.object({ ...repository, url: textOrNull, private: v.boolean() }),
);

export const EntryError = about('Why a deploy failed.', v.object({ code: ErrorCode, status: integer, detail: text }));

export const StageRecord = about(
  'A stage of a deploy.',
  v.object({
    name: v.picklist(stages.map(({ name }) => name)),
    status: v.picklist(['running', 'done', 'failed'] satisfies core.StageRecord['status'][]),
    started_at: time,
    finished_at: timeOrNull,
    attempts: about('Failed tries and the current one; 0 while an event is waited for.', count),
    detail: textOrNull,
  }),
);

/** The fields of an entry, and of an application, that previews a pull request. */
export const previewFields = {
  pull_request: v.exactOptional(
    about('The number of the pull request that it previews; absent for all others.', count),
  ),
  preview_of: v.exactOptional(
    about('The application that it previews; null until it is known, absent for all others.', textOrNull),
  ),
};

const row = {
  id: about('The address of the entry.', uri),
  app_name: about('From package.json; null until it is known.', textOrNull),
  uuid: about('The `x-api-uuid` of the request that made the entry.', text),
  status: Status,
  expires_at: v.exactOptional(about('When a held deploy expires unless it is released; absent for all others.', time)),
  provider: about(
    'Who called: `github`, `gitlab`, `travis`, …; `git` for a push to the service itself, `manual` for what was requested manually, `reconciled` for a missed push, `service` for an incident.',
    text,
  ),
  operation: v.exactOptional(
    about(
      'What was done with the application, or has happened to it outside of a deploy (`incident`); absent for a deploy.',
      v.picklist(['rollback', 'restart', 'stop', 'rename', 'remove', 'incident'] satisfies Operation[]),
    ),
  ),
  ...previewFields,
  commit: about('`<owner>/<repository>/<commit>`.', textOrNull),
  seq: about("The number of the entry's last change, per user, from 1 and without gaps.", count),
  reason: about('One sentence for every status that has something to explain; null for `ok`.', textOrNull),
  warning: v.exactOptional(
    about('What a deploy has cost: the files that ended with the release before; absent when there are none.', text),
  ),
  url: about('Where the application answers; null until it does.', textOrNull),
};

export const EntryDocument = about(
  'Everything about an entry: with `include_docs`.',
  v.object({
    ...row,
    user: text,
    repository: v.nullable(Repository),
    branch: textOrNull,
    path: about('The folder of the application in the repository; null: its root.', textOrNull),
    environment: about("The word that the hook's address adds to the application's name; null: none.", textOrNull),
    ref: textOrNull,
    message: about("The first line of the commit's message.", textOrNull),
    author: textOrNull,
    delivery: about("The sender's own id of the call.", textOrNull),
    token: v.exactOptional(
      about('The API token by which it was requested or, later, released by hand; absent for the password.', text),
    ),
    received_at: time,
    updated_at: time,
    finished_at: timeOrNull,
    error: v.nullable(EntryError),
    stages: v.array(StageRecord),
    snapshot: textOrNull,
    log_tail: about('The last lines that a failed application printed, secrets masked.', v.array(text)),
  }),
);

export const Entry = about(
  'An entry of the log.',
  v.object({ ...row, error: v.exactOptional(EntryError), doc: v.exactOptional(EntryDocument) }),
);

export type SentStage = Sent<typeof StageRecord>;
export type SentEntry = Sent<typeof Entry>;
export type SentDocument = Sent<typeof EntryDocument>;
export type ReceivedEntry = Received<typeof Entry>;
