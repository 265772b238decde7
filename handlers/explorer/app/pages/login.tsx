import { useState } from 'preact/hooks'
import { fieldOf } from '../parts/fieldOf.ts'
import { Panel } from '../parts/Panel.tsx'
import { useValue } from '../hooks/useValue.ts'
import { head } from '../rpc/heads.ts'
import { login, loginNeeded, setToken, token, tokenRefused } from '../rpc/session.ts'
import { navigate, route } from '../route.ts'

/** After a login, a page that required it draws itself again; the login page opens the home page. */
const leave = (): void => {
  if (route.get().page === 'login') navigate('/explorer')
}

const UserForm = () => {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true)
    const reason = await login(fieldOf(form, 'username'), fieldOf(form, 'password')).catch(String)
    setProblem(reason)
    setBusy(false)
    if (reason === undefined) leave()
  }
  return (
    <form
      class="fields"
      onSubmit={event => {
        event.preventDefault()
        void submit(event.currentTarget)
      }}
    >
      <label>
        User name <input name="username" autocomplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autocomplete="current-password" required />
      </label>
      <button type="submit" disabled={isBusy}>
        Log in
      </button>
      <p role="alert" class="problem">
        {problem}
      </p>
    </form>
  )
}

const TokenForm = () => (
  <form
    class="fields"
    onSubmit={event => {
      event.preventDefault()
      setToken(fieldOf(event.currentTarget, 'token').trim())
      leave()
    }}
  >
    <label>
      Token <textarea name="token" rows={3} spellcheck={false} required />
    </label>
    <button type="submit">Use this token</button>
  </form>
)

/** Says whether the node requires a token, according to its answers so far; empty before the first. */
const Notice = () => {
  const [isRefused, isNeeded, given] = [useValue(tokenRefused), useValue(loginNeeded), useValue(token)]
  const isAnswered = useValue(head) !== undefined
  if (isRefused)
    return (
      <p class="notice" role="alert">
        The node refused the token: it has expired, or this node does not accept it.
      </p>
    )
  if (isNeeded)
    return <p class="notice">This node asks for a token. Without one that is valid it shows nothing.</p>
  if (!isAnswered) return null
  return (
    <p class="notice">
      {given === undefined
        ? 'This node answers without a token. You need none for what it shows now.'
        : 'You are logged in. Another login replaces the token of this tab.'}
    </p>
  )
}

/** The login. A token stays in this tab and is sent to this node only. */
export const LoginPage = () => (
  <>
    <h1>Log in</h1>
    <Notice />
    <div class="columns">
      <Panel title="As a user of this node">
        <UserForm />
      </Panel>
      <Panel title="With a token of your issuer">
        <TokenForm />
      </Panel>
    </div>
  </>
)
