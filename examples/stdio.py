import json, subprocess
command, pipe = ["flyball", "serve", "--stdio", "specs/refunds.yaml"], subprocess.PIPE
server = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
def tell(**event):
    print(json.dumps({"v": "flyball/1", "session": "s1", **event}), file=server.stdin, flush=True)
    return json.loads(server.stdout.readline())
def governed(call, tool, args, run):
    answer = tell(type="toolProposed", id="propose-" + call, call=call, tool=tool, args=args)
    if answer["decision"] != "allow":  # what the model gets in place of a result
        return answer.get("output", answer.get("result", {"ok": False, "correction": "This call has not run. Say so."}))
    result = run(**answer.get("args", args))
    ended = tell(type="toolFinished", id="finish-" + call, call=call, result=result)
    notes = [one["correction"] for one in answer.get("warnings", []) + ended.get("warnings", [])]
    return ended.get("message", [result, *notes] if notes else result)
tell(type="sessionOpened", id="open", world={"shopOpen": True})
# From here on the loop as it was, but for `governed`: a model's three calls, and the tools they name.
refund = {"order_id": "ORD-000017", "amount": 40, "currency": "EUR", "reason": "arrived broken"}
print(governed("c1", "refund", refund, lambda **args: {"refund_id": "R-1"}))
print(governed("c2", "lookup_order", {"order_id": "ORD-000017"}, lambda order_id: {"status": "delivered"}))
print(governed("c3", "refund", refund, lambda **args: {"refund_id": "R-1"}))
