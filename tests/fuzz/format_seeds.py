"""Right inputs of the readers of worlds, materials, MJCF and SDF."""
# ruff: noqa: E501  (the files are text here, line by line)

MATERIALS = """<material><default friction="0.5" restitution="0.1" restitution_threshold="0.02"/>
<pair_prop name1="steel" name2="ice" friction="0.05" static_friction="0.1" rolling_friction="0.01"/></material>"""
MECHANISM = """<mechanism name="m" gravity="0 0 -9"><body name="w"/><body name="b" mass="1" com="0 0 1"
inertia="1 0 0 1 0 1"><geometry role="collision" kind="capsule" radius="0.1" height="0.2" pos="0 0 1"
rotation="1 0 0 0 1 0 0 0 1"><pair label="p"/></geometry><frame name="f" pos="1 2 3"/></body><joint name="j" type="revolute" axis="0 0 1" damping="1"
predecessor="w" successor="b" position_limits="-1 1"><before pos="0 0 1"/><annotation name="a"><value name="k" text="1"/>
</annotation></joint><ignore_collision body1="w" body2="b"/></mechanism>"""
WORLD = f"""<raisim version="1.0"><params><param name="n" value="2"/></params>{MATERIALS}
<gravity value="0 0 -3.7"/><timestep value="0.002"/><erp erp="0.3" erp2="0.1"/><objects><ground name="floor"/>
<array idx="i" start="0" end="@@n"><box name="b@@i" mass="2" material="steel" collision_mask="collision[0|4]">
<dim x="0.1" y="{{0.2 + @@i}}" z="0.3"/><state pos="1 2 3" quat="0 1 0 0" lin_vel="4 5 6"/></box></array>
<sphere name="s" mass="1"><dim radius="0.1"/><inertia xx="1" yy="2" zz="2.5"/><com x="0.1"/></sphere>
<body name="x" mass="1"><geometry kind="convex_hull" vertices="0 0 0 1 0 0 0 1 0 0 0 1"/><inertia xx="1" yy="1" zz="1"/></body>
<articulated_system name="r">{MECHANISM}<state qpos="0.5" qvel="1"/><control p="1" d="2" target_q="0.1" mode="force"/>
<joint_settings damping="3"/></articulated_system></objects>
<wire name="w" type="compliant" length="1" stiffness="9"><object1 name="s" pos="0 0 1"/><object2 name="r" body="b"/></wire>
<weld name="v"><object1 name="s"/><object2 name="x" pos="0 0 1"/></weld><camera follow="s" x="1"/>
<coupling name="c" offset="0"><term robot="r" joint="j" coefficient="1"/></coupling>
<settings integrator="euler" substeps="2"/></raisim>"""
MJCF = """<mujoco model="m"><compiler angle="degree"/><default><joint armature="0.1"/></default>
<asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 2 3"/></asset>
<worldbody><geom type="hfield" hfield="h"/><body name="b" pos="0 0 1" euler="10 20 30"><freejoint/><geom name="g" size="0.1" friction="0.5 0.1 0.2" condim="6" priority="1"/>
<body name="c"><joint name="j" axis="0 1 0" range="-40 50" ref="10"/><joint type="slide" stiffness="3"/>
<geom name="h" type="mesh" mesh="a" contype="0" conaffinity="0"/><site name="s"/></body></body><replicate count="2" offset="1 0 0"><body name="d">
<joint type="ball"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/></body></replicate></worldbody>
<equality><connect body1="c" body2="d0" anchor="0 0 1"/><weld body1="b" body2="d1"/></equality>
<contact><exclude body1="b" body2="d0"/><pair geom1="g" geom2="h" condim="3"/></contact><actuator><motor joint="j" gear="3" ctrlrange="-1 1"/><position joint="j" kp="30" kv="2" forcerange="-4 4"/></actuator>
<keyframe><key name="nominal" qpos="0 0 1 1 0 0 0 0.5 0.1 1 0 0 0 1 0 0 0"/></keyframe></mujoco>"""
SDF = """<sdf version="1.9"><model name="m"><pose>0 0 1 0 0 0.5</pose><self_collide>1</self_collide><link name="a"><self_collide>0</self_collide><inertial><mass>1</mass><inertia><ixx>1</ixx>
<iyy>1</iyy><izz>1</izz></inertia></inertial><collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision></link>
<link name="b"><pose relative_to="f">1 0 0 0 0 0</pose><inertial/><visual name="v"><geometry><capsule><radius>1</radius>
<length>2</length></capsule></geometry><material><diffuse>1 0 0 1</diffuse></material></visual></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz expressed_in="a">0 1 0</xyz><limit><lower>-1</lower>
<upper>1</upper></limit><dynamics><damping>1</damping></dynamics></axis></joint><frame name="f" attached_to="a"/>
<joint name="k" type="ball"><parent>world</parent><child>b</child></joint></model></sdf>"""
SDF_WORLD = """<sdf version="1.6"><world name="w"><frame name="f"><pose>1 0 0 0 0 1</pose></frame><model name="m" placement_frame="g"
canonical_link="a"><pose relative_to="f">0 0 1 0 0 0</pose><static>0</static><link name="a"><inertial auto="true"><density>2</density></inertial>
<collision name="c"><density>3</density><geometry><sphere><radius>1</radius></sphere></geometry><surface/></collision></link>
<link name="b"><inertial><mass>1</mass></inertial></link><link name="c"><inertial><mass>1</mass></inertial></link>
<frame name="g" attached_to="h"/><frame name="h" attached_to="b"><pose>0 1 0 0 0 0</pose></frame>
<joint name="j" type="revolute"><parent>a</parent><child>g</child><axis><xyz>0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame>
<limit><lower>1</lower><upper>1</upper><effort>-1</effort><velocity>0</velocity><stiffness>1</stiffness></limit></axis></joint>
<joint name="k" type="screw"><parent>j</parent><child>c</child><thread_pitch>3</thread_pitch><axis><mimic joint="j"><multiplier>2</multiplier>
<offset>1</offset></mimic></axis></joint></model></world></sdf>"""
SRDF = """<?xml version="1.0"?><robot name="r"><group name="g"><chain base_link="a" tip_link="b"/></group>
<disable_default_collisions link="c"/><enable_collisions link1="c" link2="a"/><disable_collisions link1="a" link2="b" reason="Adjacent"/>
<disable_collisions link1="a" link2="c" reason="Never"/></robot>"""
FORMATS = {
    "srdf": [SRDF.encode()],
    "world": [WORLD.encode()],
    "materials": [MATERIALS.encode()],
    "mjcf": [MJCF.encode()],
    "sdf": [SDF.encode(), SDF_WORLD.encode()],
}
