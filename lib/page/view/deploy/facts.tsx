import type { ComponentChildren } from 'preact';
import { callerOf, type Entry, shaOf } from '../../../client/entry.ts';
import { commitUrl, pullRequestUrl, safeUrl } from '../../model/links.ts';
import { inFull } from '../../model/time.ts';
import { useStore } from '../../service/store.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Copy } from '../parts/copy.tsx';
import { External, Link } from '../parts/link.tsx';
import { Moment, Took } from '../parts/moment.tsx';

export function Facts({ entry }: { entry: Entry }) {
  const { doc } = entry;
  const { apps } = useWorkspace();
  const isKnown = useStore(apps)?.some(({ name }) => name === entry.app_name) ?? false;
  if (!doc) return null;
  const pullRequest = pullRequestUrl(entry);
  const { repository, branch, path, author, received_at, finished_at, snapshot } = doc;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Source</h2>
      <dl class="facts grid">
        {entry.app_name && (
          <Fact name="Application">
            {isKnown ? <Link to={{ view: 'app', name: entry.app_name }}>{entry.app_name}</Link> : entry.app_name}
          </Fact>
        )}
        {repository && (
          <Fact name="Repository">
            <External url={safeUrl(repository.url)}>
              {repository.owner}/{repository.name}
            </External>
          </Fact>
        )}
        {pullRequest && (
          <Fact name="Pull request">
            <External url={pullRequest}>#{entry.pull_request}</External>
          </Fact>
        )}
        <Coded name="Branch" value={branch} />
        <Coded name="Folder" value={path} />
        <Commit entry={entry} />
        {author && <Fact name="Author">{author}</Fact>}
        <Fact name="Sent by">{callerOf(entry)}</Fact>
        {doc.token && <Fact name="Token">{doc.token}</Fact>}
        <Fact name="Received">
          <Moment at={received_at} /> <span class="faint">{inFull(Date.parse(received_at))}</span>
        </Fact>
        {finished_at && (
          <Fact name="Took">
            <Took from={received_at} to={finished_at} />
          </Fact>
        )}
        <Coded name="Snapshot" value={snapshot} />
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Coded({ name, value }: { name: string; value: string | null | undefined }) {
  if (!value) return null;
  return (
    <Fact name={name}>
      <code>{value}</code>
    </Fact>
  );
}

function Commit({ entry }: { entry: Entry }) {
  const sha = shaOf(entry);
  if (!sha) return null;
  return (
    <Fact name="Commit">
      <External url={commitUrl(entry)}>
        <code>{sha.slice(0, 12)}</code>
      </External>
      <Copy text={sha} label="Copy the commit’s id" />
    </Fact>
  );
}
