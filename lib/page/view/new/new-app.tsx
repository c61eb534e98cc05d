import { useState } from 'preact/hooks';
import { pushLines, REPOSITORY_NAME } from '../../model/push.ts';
import { ONLY_HERE, REPOSITORIES } from '../../service/api.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { Link } from '../parts/link.tsx';
import { useTitle } from '../parts/title.ts';
import { NewToken } from '../settings/new-token.tsx';
import { Waiting } from './waiting.tsx';

/** A new application: from a folder by git push, or from a repository host by its webhook. */
export function NewApp() {
  useTitle('New application');
  return (
    <div class="page">
      <div class="title">
        <h1>New application</h1>
      </div>
      <Begin />
    </div>
  );
}

/** How an application begins, on this service. */
export function Begin() {
  const { user } = useWorkspace().api;
  if (REPOSITORIES === null) return <FromHost />;
  return (
    <>
      <FromFolder host={REPOSITORIES} user={user} />
      <p class="muted">
        {ONLY_HERE ? (
          <>
            GitHub and other hosts cannot call this service, because its address is known on this machine only:{' '}
            <code>PUBLIC_URL</code> gives it another one, and <Link to={{ view: 'connect' }}>Connect</Link> has the
            settings.
          </>
        ) : (
          <>
            Is the code on GitHub or another host? <Link to={{ view: 'connect' }}>Connect the repository</Link>, and
            each push there deploys.
          </>
        )}
      </p>
    </>
  );
}

function FromFolder({ host, user }: { host: string; user: string }) {
  const [name, setName] = useState('my-app');
  return (
    <section class="card begin" aria-labelledby="push">
      <h2 id="push">Push from your folder</h2>
      <label class="short">
        Name of the repository
        <input
          value={name}
          required
          pattern={REPOSITORY_NAME}
          spellcheck={false}
          autocapitalize="none"
          onInput={({ currentTarget }) => {
            if (currentTarget.value.trim() !== '') setName(currentTarget.value.trim());
          }}
        />
      </label>
      <CodeBlock name="Lines for a terminal" text={pushLines({ host, user, name })} />
      <p class="muted">
        Run them in the folder with your <code>package.json</code>, whose <code>name</code> the application gets. The
        first is for a folder that is not a git repository yet. The push creates the repository here; git asks for the
        password of {user}.
      </p>
      <details>
        <summary>An API token in place of the password</summary>
        <NewToken suggested={`git-${name}`} onMade={() => {}} />
      </details>
      <Waiting what="the first push" />
    </section>
  );
}

function FromHost() {
  return (
    <section class="card begin" aria-labelledby="connect-first">
      <h2 id="connect-first">Connect a repository</h2>
      <p class="muted">
        GitHub, GitLab, Bitbucket, Gitea or Forgejo calls this service for each push, and the commit is deployed.
      </p>
      <p class="buttons">
        <Link class="button primary" to={{ view: 'connect' }}>
          Connect GitHub or another host
        </Link>
      </p>
      <Waiting what="the first call" isWebhook />
    </section>
  );
}
