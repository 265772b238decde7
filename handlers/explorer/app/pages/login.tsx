import { useState } from 'preact/hooks'
import { fieldOf } from '../parts/fieldOf.ts'
import { Panel } from '../parts/Panel.tsx'
import { login, setToken } from '../rpc/session.ts'

const UserForm = () => {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true)
    setProblem(await login(fieldOf(form, 'username'), fieldOf(form, 'password')).catch(String))
    setBusy(false)
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
    }}
  >
    <label>
      Token <textarea name="token" rows={3} spellcheck={false} required />
    </label>
    <button type="submit">Use this token</button>
  </form>
)

/** The login on a node that requires tokens. A token stays in this tab and is sent to this node only. */
export const LoginPage = () => (
  <>
    <h1>Log in</h1>
    <p class="notice">This node asks for a token. Without one that is valid it shows nothing.</p>
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
