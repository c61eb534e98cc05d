import { useEffect, useState } from 'preact/hooks';
import { parseRoute } from '../model/route.ts';
import { forgetSession, type Session, storedSession } from '../service/session.ts';
import { openWorkspace, type Workspace, WorkspaceContext } from '../service/workspace.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

/** Tells the other tabs of this browser that the user has signed out. */
const channel = new BroadcastChannel('deployment-webhooks');

/** The whole page: the sign-in form, or the views of the user who has signed in. */
export function Page() {
  const [session, setSession] = useState<Session | null>(storedSession);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [workspace, setWorkspace] = useState<Workspace | null>(null);
  const route = useRoute();

  useEffect(() => {
    if (!session) return;
    const leave = (why: 'signed-out' | 'refused') => {
      forgetSession();
      if (why === 'signed-out') {
        revoke(opened);
        channel.postMessage('signed-out');
      }
      setRefusal(why === 'refused' ? 'This login is no longer valid. Sign in again.' : null);
      setSession(null);
    };
    const opened = openWorkspace(session, leave);
    const signedOutElsewhere = () => {
      forgetSession();
      setSession(null);
    };
    channel.addEventListener('message', signedOutElsewhere);
    setWorkspace(opened);
    return () => {
      channel.removeEventListener('message', signedOutElsewhere);
      opened.close();
      setWorkspace(null);
    };
  }, [session]);

  const entered = (next: Session) => {
    setRefusal(null);
    setSession(next);
  };
  if (!session || !workspace || (route.user !== '' && route.user !== session.user)) {
    if (session && route.user === session.user) return null;
    const other = session && route.user !== '' ? `This address belongs to ${route.user}.` : null;
    return <SignIn user={route.user} refusal={refusal ?? other} onEnter={entered} />;
  }
  return (
    <WorkspaceContext.Provider value={workspace}>
      <Shell route={{ ...route, user: session.user }} />
    </WorkspaceContext.Provider>
  );
}

/** The token that the page has created for itself is of no use afterwards. */
function revoke({ api, session }: Workspace): void {
  if (session.token === undefined) return;
  void api.call({ method: 'DELETE', path: ['auth', 'tokens', session.token] }).catch(() => {});
}

function useRoute() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  return parseRoute(hash);
}
