/** Where the operating system keeps secrets. */
export interface Keyring {
  put(account: string, secret: string): Promise<void>;
  get(account: string): Promise<string | undefined>;
  remove(account: string): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

const SERVICE = 'agentworks';

/** A locked keyring asks the person in a window of its own; nobody may be there to answer. */
const PATIENCE_MS = 20_000;

/** Whether a person sits before this computer's own screen: a keyring elsewhere is absent, or locked with nobody to unlock it. */
function isAttended(env: Env): boolean {
  if (env['CI'] !== undefined || env['AGENTWORKS_KEYRING'] === 'off' || env['SSH_CONNECTION'] !== undefined)
    return false;
  if (process.platform !== 'linux') return process.platform === 'darwin' || process.platform === 'win32';
  const hasScreen = env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  return hasScreen && env['DBUS_SESSION_BUS_ADDRESS'] !== undefined;
}

/** The keyring, where there is one that a person could unlock. */
export async function findKeyring(env: Env): Promise<Keyring | undefined> {
  if (!isAttended(env)) return undefined;
  try {
    // Loaded only here: its native part is an optional package, and absent on some platforms.
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // Not the kernel's own keyring, which forgets at the next boot.
    const entry = (account: string) => new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } });
    const patience = () => AbortSignal.timeout(PATIENCE_MS);
    return {
      put: async (account, secret) => entry(account).setPassword(secret, patience()),
      get: async (account) => (await entry(account).getPassword(patience())) ?? undefined,
      remove: async (account) => void (await entry(account).deletePassword(patience())),
    };
  } catch {
    return undefined;
  }
}
