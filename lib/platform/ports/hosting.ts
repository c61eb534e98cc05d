import { keyedMutex } from '../../../functions/core/concurrency.ts';
import type {
  Activation,
  HostingPlatform,
  SnapshotRef,
  Upload,
  Uploaded,
} from '../../../functions/core/ports/platform.ts';
import { withUpload } from '../../../functions/core/tarball/upload.ts';
import { HttpError } from '../../http/http-error.ts';
import { type AppId, appKey } from '../../runner/calls.ts';
import type { Snapshot } from '../store/snapshots.ts';
import type { PortParts } from './parts.ts';
import { type AppCall, type Calls, shownLog, shownSentence } from './refusals.ts';
import { type Received, receive } from './upload.ts';

const UPLOAD = 'deploy:platform:upload_tarball' as const;
const EXTRACT = 'deploy:tar:extract_failed' as const;
const START = 'deploy:platform:start_app' as const;

export function hosting(parts: PortParts, { of, forAny, find }: Calls): HostingPlatform {
  const { apps, builder, folders, desired, tarballBytes, view } = parts;
  const withLock = keyedMutex();
  return {
    ensureApp: async (app, manifest, how) => {
      const call = { app, code: UPLOAD, what: `the application ${app.app}` };
      const put = { scale: how?.maySleep ? ({ web: 'auto' } as const) : {}, previewOf: how?.previewOf ?? null };
      await forAny(call, (name) => apps.put(name, manifest, put));
    },
    upload: (ref, upload) =>
      withUpload(upload, (body) =>
        of(callOf(ref, UPLOAD, 'the upload of'), async (app) => {
          const id = ref.snapshot;
          if (upload.bytes > tarballBytes) throw new HttpError(413, `A snapshot has at most ${tarballBytes} bytes.`);
          const received = await receive({ ...upload, body }, folders.ofApp(app).snapshot(id).tarball);
          const stored = () => store(parts, { app, id, upload, received });
          return withLock(`${appKey(app)}/${id}`, stored).finally(received.drop);
        }),
      ),
    activate: async (ref, options = {}) => {
      await of(callOf(ref, EXTRACT, 'the installation of'), (app) => builder.activate(app, ref.snapshot, options));
    },
    poll: (ref, waitSeconds = 0) =>
      of(callOf(ref, EXTRACT, 'the state of'), async (app) =>
        activationOf(await builder.status(app, ref.snapshot, waitSeconds * 1000)),
      ),
    cancel: async (ref) => {
      // An application or a snapshot that there is not has no build.
      await find(callOf(ref, EXTRACT, 'the end of the build of'), (app) => builder.cancel(app, ref.snapshot));
    },
    prune: parts.prune,
    start: (ref) =>
      of({ ...callOf(ref, START, 'the start of'), isOwn: true }, async (app) => {
        const id = ref.snapshot;
        const { lost, answers } = await desired.of(app).start(id);
        await builder.started(app, id);
        const note = shownSentence(lost ?? '');
        const url = (answers && (await view(app)).url) || '';
        // Last: each of these calls would wait until old ones are removed.
        parts.prune(app);
        return { url, ...(note && { note }) };
      }),
  };
}

function callOf(app: SnapshotRef, code: AppCall['code'], what: string): AppCall {
  return { app, code, what: `${what} ${app.snapshot}` };
}

interface ToStore {
  readonly app: AppId;
  readonly id: string;
  readonly upload: Upload;
  readonly received: Received;
}

async function store({ snapshots }: PortParts, { app, id, upload, received }: ToStore): Promise<Uploaded> {
  const stored = await snapshots.find(app, id);
  if (stored) return stored.sha256 === upload.sha256 ? 'stored' : 'taken';
  await received.keep();
  // The state is written last: a tarball without one was not acknowledged, and is replaced.
  await snapshots.write(app, fresh(id, upload));
  return 'stored';
}

function fresh(id: string, { sha256, bytes }: Upload): Snapshot {
  return {
    id,
    sha256,
    size: bytes,
    uploaded_at: new Date().toISOString(),
    state: 'pending',
    reason: null,
    log: [],
    dependencies: null,
    path: '',
    settings: {},
    clean: false,
    node: null,
    tools: [],
    warnings: [],
    built_at: null,
    deploy: null,
    entry: null,
    was_live: false,
    note: null,
    released: false,
  };
}

/** A build that has not been started counts as one that runs. */
function activationOf({ state, reason, note, warnings, found, log }: Snapshot): Activation {
  if (state === 'pending' || state === 'building') return { state: 'building' };
  const said = [note, ...(state === 'ready' ? warnings : [])]
    .flatMap((one) => shownSentence(one ?? '') ?? [])
    .join(' ');
  if (state === 'ready') return { state, ...(said !== '' && { note: said }), ...(found && { found }) };
  const why = shownSentence(reason ?? '') ?? 'The platform does not say why.';
  return { state, reason: [why, said].filter(Boolean).join(' '), log: shownLog(log) };
}
