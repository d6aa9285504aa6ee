-- What is copied of an account, as one row: read here in the home database, inserted in the other databases, so that a copy is
-- one statement for each of them.

CREATE VIEW account_facts (account_id, version, state, feeds, domains) AS
SELECT account_id, version,
  (SELECT json_array(state, since) FROM account_states s WHERE s.account_id = c.account_id),
  (SELECT json_group_array(json_array(mode, since, until)) FROM feeds f WHERE f.account_id = c.account_id),
  (SELECT json_group_array(json_array(mode, id, domain, case_sensitive, created_at, locked_until)) FROM domains d
   WHERE d.account_id = c.account_id AND status = 'active')
FROM account_copies c;

CREATE TRIGGER account_facts_copied INSTEAD OF INSERT ON account_facts
WHEN NEW.version >= coalesce((SELECT version FROM account_copies WHERE account_id = NEW.account_id), 0)
BEGIN
  INSERT INTO account_copies (account_id, version) VALUES (NEW.account_id, NEW.version)
  ON CONFLICT DO UPDATE SET version = excluded.version WHERE version < excluded.version;
  DELETE FROM account_states WHERE account_id = NEW.account_id AND json_array(state, since) IS NOT NEW.state;
  INSERT INTO account_states (account_id, state, since)
  SELECT NEW.account_id, NEW.state ->> 0, NEW.state ->> 1 WHERE NEW.state IS NOT NULL ON CONFLICT DO NOTHING;
  UPDATE feeds SET since = 0, until = 0 WHERE account_id = NEW.account_id AND until > 0
    AND mode NOT IN (SELECT value ->> 0 FROM json_each(NEW.feeds));
  INSERT INTO feeds (account_id, mode, since, until)
  SELECT NEW.account_id, value ->> 0, value ->> 1, value ->> 2 FROM json_each(NEW.feeds)
  WHERE true ON CONFLICT DO UPDATE SET since = excluded.since, until = excluded.until
  WHERE since <> excluded.since OR until <> excluded.until;
  DELETE FROM domains WHERE account_id = NEW.account_id
    AND json_array(mode, id, domain, case_sensitive, created_at, locked_until) NOT IN
      (SELECT value FROM json_each(NEW.domains));
  INSERT INTO domains (account_id, mode, id, domain, case_sensitive, created_at, locked_until, token, status, findings)
  SELECT NEW.account_id, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, '', 'active', '{}'
  FROM json_each(NEW.domains) WHERE true ON CONFLICT DO NOTHING;
END;
