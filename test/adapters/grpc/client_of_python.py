# What pydgraph gets from a server, as lines of JSON. Arguments: host:port, and what to do.

import json
import sys

import pydgraph


def tell(value):
    print(json.dumps(value, sort_keys=True))


def names(client):
    found = client.txn(read_only=True, best_effort=True).query("{ q(func: type(Sailor), orderasc: Sailor.name) { Sailor.name Sailor.votes } }")
    return json.loads(found.json)["q"]


def data(client):
    txn = client.txn()
    made = txn.mutate(set_obj={"uid": "_:a", "Sailor.name": "Ann", "dgraph.type": "Sailor"})
    uid = made.uids["a"]
    found = txn.query("query q($n: string) { q(func: eq(Sailor.name, $n)) { Sailor.name } }", variables={"$n": "Ann"})
    tell([json.loads(found.json), names(client)])
    txn.commit()
    tell(names(client))
    first, second = client.txn(), client.txn()
    first.mutate(set_nquads=f'<{uid}> <Sailor.votes> "1" .')
    second.mutate(set_nquads=f'<{uid}> <Sailor.votes> "2" .')
    first.commit()
    try:
        second.commit()
    except pydgraph.AbortedError:
        tell("aborted")
    upsert = client.txn()
    request = upsert.create_request(
        query='{ v as var(func: eq(Sailor.name, "Ann")) old(func: uid(v)) { Sailor.votes } }',
        mutations=[upsert.create_mutation(set_nquads='uid(v) <Sailor.votes> "5" .', cond="@if(eq(len(v), 1))")],
        commit_now=True,
    )
    tell([json.loads(upsert.do_request(request).json), names(client)])
    tell(json.loads(client.run_dql("{ q(func: type(Sailor)) { Sailor.name } }").json))
    tell(len(client.check_version()) > 0)
    discarded = client.txn()
    discarded.mutate(del_nquads=f"<{uid}> * * .")
    discarded.discard()
    client.drop_predicate("Sailor.votes")
    tell(names(client))
    client.drop_data()
    tell(names(client))
    client.drop_all()


def login(client):
    tell(names(client))
    client.retry_login()
    tell(names(client))
    try:
        client.login("groot", "wrong")
    except Exception as error:
        tell(error.details())


address, task = sys.argv[1:]
if task == "data":
    data(pydgraph.open(f"dgraph://{address}"))
else:
    login(pydgraph.open(f"dgraph://groot:password@{address}"))
